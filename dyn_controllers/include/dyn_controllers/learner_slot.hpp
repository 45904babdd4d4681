// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The learner of a payload that the loop feeds. Whoever solves has it too, puts it here and takes it away again; what
// the loop gave back is freed by the next put().
#pragma once

#include <memory>
#include <utility>

#include "dyn_core/identify/payload_learner.hpp"
#include "dyn_core/lockfree/handover.hpp"

namespace dyn_controllers {

class LearnerSlot {
 public:
  using Learner = std::shared_ptr<dyn::identify::PayloadLearner>;

  // Any thread but the loop's: from its next cycle on the loop feeds this one; null: none.
  void put(Learner learner) { fresh_.publish(dyn::lockfree::Owned<Learner>::make(std::move(learner))); }
  // The loop: the one to be fed in this cycle, or null.
  [[nodiscard]] DYN_REALTIME dyn::identify::PayloadLearner* get() noexcept {
    if (auto fresh = fresh_.take(); fresh) {
      fresh_.retire(std::move(now_));
      now_ = std::move(fresh);
    }
    return now_ ? now_->get() : nullptr;
  }

 private:
  dyn::lockfree::Handover<Learner> fresh_;
  dyn::lockfree::Owned<Learner> now_;  // the loop's
};

}  // namespace dyn_controllers
