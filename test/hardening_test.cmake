# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#
# cmake -DPROGRAM=.. -DREADELF=.. -P hardening_test.cmake: position independent, tables read-only and bound at start, a stack
# that cannot be executed.
execute_process(COMMAND ${READELF} -W -h -l -d ${PROGRAM} OUTPUT_VARIABLE elf COMMAND_ERROR_IS_FATAL ANY)
foreach(expected "Type: +DYN" "GNU_RELRO" "BIND_NOW|Flags: NOW|FLAGS.*NOW" "GNU_STACK[^\n]*RW ")
  if(NOT elf MATCHES "${expected}")
    message(FATAL_ERROR "${PROGRAM}: '${expected}' is missing in the output of readelf")
  endif()
endforeach()
if(elf MATCHES "GNU_STACK[^\n]*RWE")
  message(FATAL_ERROR "${PROGRAM}: its stack can be executed")
endif()
