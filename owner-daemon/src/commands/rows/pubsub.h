// Messages: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr std::uint16_t kMessages = kPubSub | kWhileLoading;

inline constexpr auto kPubSubRows = std::to_array<CommandSpec>({
    {"psubscribe", -2, kMessages, kNoKeys, "pubsub", "0.2.0", "PSUBSCRIBE pattern [pattern …]",
     "Receives what is published to channels that match", psubscribe},
    {"publish", 3, kMessages | kFast, kNoKeys, "pubsub", "0.2.0", "PUBLISH channel message",
     "Sends a message to a channel's subscribers; answers how many got it", publish},
    {"pubsub", -2, kContainer, kNoKeys, "pubsub", "0.2.0", "PUBSUB subcommand", "About subscriptions", nullptr},
    {"pubsub|channels", -2, kMessages, kNoKeys, "pubsub", "0.2.0", "PUBSUB CHANNELS [pattern]",
     "The channels that have subscribers", pubsub_channels},
    {"pubsub|help", 2, kWhileLoading, kNoKeys, "pubsub", "0.2.0", "PUBSUB HELP", "What PUBSUB can do", pubsub_help},
    {"pubsub|numpat", 2, kMessages, kNoKeys, "pubsub", "0.2.0", "PUBSUB NUMPAT",
     "The number of patterns that are subscribed to", pubsub_numpat},
    {"pubsub|numsub", -2, kMessages, kNoKeys, "pubsub", "0.2.0", "PUBSUB NUMSUB [channel …]",
     "The number of subscribers of each channel, those by pattern left out", pubsub_numsub},
    {"pubsub|shardchannels", -2, kMessages, kNoKeys, "pubsub", "0.2.0", "PUBSUB SHARDCHANNELS [pattern]",
     "The shard channels that have subscribers", pubsub_shardchannels},
    {"pubsub|shardnumsub", -2, kMessages, kNoKeys, "pubsub", "0.2.0", "PUBSUB SHARDNUMSUB [channel …]",
     "The number of subscribers of each shard channel", pubsub_shardnumsub},
    {"punsubscribe", -1, kMessages, kNoKeys, "pubsub", "0.2.0", "PUNSUBSCRIBE [pattern …]",
     "Ends subscriptions to patterns, all of them if none is named", punsubscribe},
    {"spublish", 3, kMessages | kFast, kNoKeys, "pubsub", "0.2.0", "SPUBLISH channel message",
     "Sends a message to a shard channel's subscribers", spublish},
    {"ssubscribe", -2, kMessages, kNoKeys, "pubsub", "0.2.0", "SSUBSCRIBE channel [channel …]",
     "Receives what is published to shard channels: there is one shard", ssubscribe},
    {"subscribe", -2, kMessages, kNoKeys, "pubsub", "0.2.0", "SUBSCRIBE channel [channel …]",
     "Receives what is published to channels", subscribe},
    {"sunsubscribe", -1, kMessages, kNoKeys, "pubsub", "0.2.0", "SUNSUBSCRIBE [channel …]",
     "Ends subscriptions to shard channels", sunsubscribe},
    {"unsubscribe", -1, kMessages, kNoKeys, "pubsub", "0.2.0", "UNSUBSCRIBE [channel …]",
     "Ends subscriptions to channels, all of them if none is named", unsubscribe},
});

}  // namespace coppice::daemon::rows
