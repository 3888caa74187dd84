// Scripts: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kScriptingRows = std::to_array<CommandSpec>({
    {"eval",
     -3,
     kWrite | kDenyOom | kAlsoReads,
     {0, 0, 1, 2},
     "scripting",
     "0.2.0",
     "EVAL script numkeys [key …] [arg …]",
     "Does what a known script does; any other is refused with NOLUA",
     eval},
    {"eval_ro",
     -3,
     kReadOnly,
     {0, 0, 1, 2},
     "scripting",
     "0.2.0",
     "EVAL_RO script numkeys [key …] [arg …]",
     "Is refused: no known script only reads",
     eval_ro},
    {"evalsha",
     -3,
     kWrite | kDenyOom | kAlsoReads,
     {0, 0, 1, 2},
     "scripting",
     "0.2.0",
     "EVALSHA sha1 numkeys [key …] [arg …]",
     "Does what a known script does; any other is refused with NOSCRIPT",
     evalsha},
    {"evalsha_ro",
     -3,
     kReadOnly,
     {0, 0, 1, 2},
     "scripting",
     "0.2.0",
     "EVALSHA_RO sha1 numkeys [key …] [arg …]",
     "Is refused: no known script only reads",
     evalsha_ro},
    {"function", -2, kContainer, kNoKeys, "scripting", "0.2.0", "FUNCTION subcommand", "There are no functions",
     nullptr},
    {"function|flush", -2, kFast, kNoKeys, "scripting", "0.2.0", "FUNCTION FLUSH [ASYNC | SYNC]",
     "Nothing: there are no functions", function_flush},
    {"script", -2, kContainer, kNoKeys, "scripting", "0.2.0", "SCRIPT subcommand", "About the known scripts", nullptr},
    {"script|exists", -3, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT EXISTS sha1 [sha1 …]",
     "Which scripts are known", script_exists},
    {"script|flush", -2, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT FLUSH [ASYNC | SYNC]",
     "Nothing: known scripts stay known", script_flush},
    {"script|help", 2, kWhileLoading, kNoKeys, "scripting", "0.2.0", "SCRIPT HELP", "What SCRIPT can do", help},
    {"script|kill", 2, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT KILL", "An error: no script runs", script_kill},
    {"script|load", 3, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT LOAD script",
     "The SHA1 of a known script; any other is refused with NOLUA", script_load},
});

}  // namespace coppice::daemon::rows
