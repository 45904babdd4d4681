# Text files as string constants of a C++ source. Run as a script:
#   cmake -DOUTPUT=x.cpp -DHEADER=x.hpp -DNAMESPACE=dyn::sim::report -DFILES=a.js,b.css -P embed.cmake
# a.js becomes dyn::sim::report::a_js, which the header declares. An HTML comment at the beginning of a file is left out, since the page that combines
# the files has the licence in its frame.
set(source "#include \"${HEADER}\"\nnamespace ${NAMESPACE} {\n")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(REPLACE "." "_" name ${name})
  file(READ ${file} hex HEX)
  file(STRINGS ${file} first LIMIT_COUNT 1)
  if(first MATCHES "^<!--.*-->$")
    string(LENGTH "${first}" characters)
    math(EXPR after "2 * (${characters} + 1)")
    string(SUBSTRING "${hex}" ${after} -1 hex)
  endif()
  string(LENGTH "${hex}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND source "static const char ${name}_bytes[] = {${bytes} '\\0'};\n"
    "const std::string_view ${name}(${name}_bytes, ${size});\n")
endforeach()
file(WRITE ${OUTPUT} "${source}}  // namespace ${NAMESPACE}\n")
