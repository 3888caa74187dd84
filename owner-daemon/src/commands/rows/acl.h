// Users: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr std::uint16_t kAcl = kAdmin | kWhileLoading;

inline constexpr auto kAclRows = std::to_array<CommandSpec>({
    {"acl", -2, kContainer, kNoKeys, "acl", "0.2.0", "ACL subcommand", "About users and their rights", nullptr},
    {"acl|cat", -2, kWhileLoading, kNoKeys, "acl", "0.2.0", "ACL CAT [class]",
     "The classes of commands, or the commands of one", acl_cat},
    {"acl|deluser", -3, kAcl, kNoKeys, "acl", "0.2.0", "ACL DELUSER name [name …]",
     "Removes users and closes their connections", acl_deluser},
    {"acl|dryrun", -4, kAcl, kNoKeys, "acl", "0.2.0", "ACL DRYRUN name command [arg …]",
     "Whether a user may run a command, which is not run", acl_dryrun},
    {"acl|genpass", -2, kWhileLoading, kNoKeys, "acl", "0.2.0", "ACL GENPASS [bits]", "A random password", acl_genpass},
    {"acl|getuser", 3, kAcl, kNoKeys, "acl", "0.2.0", "ACL GETUSER name", "A user's rules", acl_getuser},
    {"acl|help", 2, kWhileLoading, kNoKeys, "acl", "0.2.0", "ACL HELP", "What ACL can do", help},
    {"acl|list", 2, kAcl, kNoKeys, "acl", "0.2.0", "ACL LIST", "All users with their rules, a line each", acl_list},
    {"acl|load", 2, kAcl, kNoKeys, "acl", "0.2.0", "ACL LOAD", "An error: users stand in the configuration file",
     acl_load},
    {"acl|log", -2, kAcl, kNoKeys, "acl", "0.2.0", "ACL LOG [count | RESET]", "What was refused lately", acl_log},
    {"acl|save", 2, kAcl, kNoKeys, "acl", "0.2.0", "ACL SAVE", "An error: CONFIG REWRITE saves users", acl_load},
    {"acl|setuser", -3, kAcl, kNoKeys, "acl", "0.2.0", "ACL SETUSER name [rule …]",
     "Makes or changes a user: all of the rules or none", acl_setuser},
    {"acl|users", 2, kAcl, kNoKeys, "acl", "0.2.0", "ACL USERS", "The names of all users", acl_users},
    {"acl|whoami", 2, kWhileLoading, kNoKeys, "acl", "0.2.0", "ACL WHOAMI", "The connection's user", acl_whoami},
});

}  // namespace coppice::daemon::rows
