// Runs commands against a service without sockets, on a clock that is set by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service.h"
#include "support/catch.h"

namespace coppice::daemon {

class ServiceFixture {
 public:
  explicit ServiceFixture(Config settings = {}) : config(std::move(settings)) {
    StoreOptions options;
    options.max_memory = config.max_memory;
    options.max_value = config.max_value;
    options.databases = config.databases;
    options.policy = config.policy;
    options.clock = &clock;
    Store::CreateError error;
    store = Store::create(options, &error);
    INFO(error.message);
    REQUIRE(store != nullptr);
    service = std::make_unique<Service>(*store, config, clock);
    service->begin(session);
  }

  // The reply as it goes over the wire; "(job)", "(hold)" and so on where there is none yet.
  std::string run(std::vector<std::string_view> arguments) {
    std::string out;
    resp::ReplyWriter reply(out, session.protocol);
    Effects effects;
    service->execute(session, arguments, reply, &effects);
    last = effects.next;
    slices = 1;
    if (effects.next == Next::kJob) {
      while (!effects.job->step(*service, Slice(std::chrono::microseconds(0)))) ++slices;
      effects.job->answer(*service, reply);
    }
    return out;
  }
  // A command of plain words.
  std::string operator()(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      if (end > 0) words.push_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return run(words);
  }

  Config config;
  ManualClock clock;
  std::unique_ptr<Store> store;
  std::unique_ptr<Service> service;
  Session session;
  Next last = Next::kGoOn;
  int slices = 0;
};

}  // namespace coppice::daemon
