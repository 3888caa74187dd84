// CONFIG: the table of settings in words.
#include "settings.h"

#include <string>
#include <vector>

#include "commands/handlers.h"
#include "config_file.h"
#include "resp/glob.h"

namespace coppice::daemon::handlers {

namespace {

void failed(Call& call, std::string_view name, std::string_view why) {
  call.reply.error("ERR CONFIG SET failed (possibly related to argument '" + std::string(name) + "') - " +
                   std::string(why));
}

}  // namespace

void config_get(Call& call) {
  std::vector<const Setting*> matching;
  for (const Setting& setting : all_settings())
    for (const std::string_view pattern : call.arguments.subspan(2))
      if (resp::glob_match(pattern, setting.name, true)) {
        matching.push_back(&setting);
        break;
      }
  call.reply.map(matching.size());
  for (const Setting* setting : matching) {
    call.reply.bulk(setting->name);
    call.reply.bulk(setting->get(call.service));
  }
}

void config_set(Call& call) {
  if (call.size() % 2 != 0) return syntax_error(call);
  struct Planned {
    const Setting* setting;
    Application apply;
  };
  std::vector<Planned> planned;
  // All is looked at before anything is set.
  for (std::size_t i = 2; i < call.size(); i += 2) {
    const std::string_view name = call[i];
    const Setting* setting = find_setting(name);
    if (setting == nullptr)
      return call.reply.error("ERR Unknown option or number of arguments for CONFIG SET - '" + std::string(name) + "'");
    if (setting->plan == nullptr) return failed(call, name, "can't set immutable config");
    for (const Planned& other : planned)
      if (other.setting == setting) return failed(call, name, "duplicate parameter");
    planned.push_back({setting, nullptr});
  }
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const std::string why = planned[i].setting->plan(call.service, call[3 + 2 * i], &planned[i].apply);
    if (!why.empty()) return failed(call, planned[i].setting->name, why);
  }
  for (const Planned& p : planned) {
    if (const std::string why = p.apply(); !why.empty()) return failed(call, p.setting->name, why);
    call.service.note_changed(*p.setting);
  }
  call.reply.ok();
}

void config_resetstat(Call& call) {
  call.service.reset_statistics();
  call.reply.ok();
}

void config_rewrite(Call& call) {
  const std::string why = rewrite_config_file(call.service);
  if (!why.empty()) return call.reply.error("ERR " + why);
  call.reply.ok();
}

}  // namespace coppice::daemon::handlers
