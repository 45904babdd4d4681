// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Version 5 of rosbag2's metadata, of Humble: the oldest that has a list of files, and later ones read it.
#include <yaml-cpp/yaml.h>

#include "log_mcap_writer.hpp"

namespace dyn::sim::outputs {
namespace {

YAML::Node nanoseconds(const char* key, std::uint64_t value) {
  YAML::Node node;
  node[key] = value;
  return node;
}

}  // namespace

std::string McapWriter::metadata(const std::string& file_name) const {
  YAML::Node file;
  file["path"] = file_name;
  file["starting_time"] = nanoseconds("nanoseconds_since_epoch", first_ns_);
  file["duration"] = nanoseconds("nanoseconds", last_ns_ - first_ns_);
  file["message_count"] = total_;
  YAML::Node bag;
  bag["version"] = 5;
  bag["storage_identifier"] = "mcap";
  bag["duration"] = nanoseconds("nanoseconds", last_ns_ - first_ns_);
  bag["starting_time"] = nanoseconds("nanoseconds_since_epoch", first_ns_);
  bag["message_count"] = total_;
  for (const auto& [channel, count] : messages_) {
    const Topic& topic = topics_[static_cast<std::size_t>(channel) - 1];
    YAML::Node entry;
    entry["topic_metadata"]["name"] = topic.name;
    entry["topic_metadata"]["type"] = topic.type;
    entry["topic_metadata"]["serialization_format"] = "cdr";
    entry["topic_metadata"]["offered_qos_profiles"] = "";
    entry["message_count"] = count;
    bag["topics_with_message_count"].push_back(entry);
  }
  bag["compression_format"] = "";  // of whole files or messages; chunks are the storage's own affair
  bag["compression_mode"] = "";
  bag["relative_file_paths"].push_back(file_name);
  bag["files"].push_back(file);
  YAML::Node all;
  all["rosbag2_bagfile_information"] = bag;
  YAML::Emitter text;
  text << all;
  return std::string(text.c_str()) + '\n';
}

}  // namespace dyn::sim::outputs
