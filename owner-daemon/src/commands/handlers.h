// The handlers, by the file that holds them.
#pragma once

#include "commands/command.h"

namespace coppice::daemon::handlers {

// strings.cpp
void get(Call&);
void mget(Call&);
void set(Call&);
void setex(Call&);
void psetex(Call&);
void setnx(Call&);
void mset(Call&);
void strlen(Call&);
void incr(Call&);
void decr(Call&);
void incrby(Call&);
void decrby(Call&);

// string_edits.cpp
void getset(Call&);
void getdel(Call&);
void getex(Call&);
void append(Call&);
void getrange(Call&);
void setrange(Call&);
void msetnx(Call&);
void incrbyfloat(Call&);
void delifeq(Call&);

// hashes.cpp
void hset(Call&);
void hmset(Call&);
void hsetnx(Call&);
void hget(Call&);
void hmget(Call&);
void hgetall(Call&);
void hkeys(Call&);
void hvals(Call&);
void hlen(Call&);
void hstrlen(Call&);
void hexists(Call&);
void hdel(Call&);
void hincrby(Call&);
void hincrbyfloat(Call&);
void hrandfield(Call&);
void hscan(Call&);

// sets.cpp
void sadd(Call&);
void srem(Call&);
void smembers(Call&);
void sismember(Call&);
void smismember(Call&);
void scard(Call&);
void spop(Call&);
void srandmember(Call&);
void smove(Call&);
void sunion(Call&);
void sinter(Call&);
void sdiff(Call&);
void sunionstore(Call&);
void sinterstore(Call&);
void sdiffstore(Call&);
void sintercard(Call&);
void sscan(Call&);

// sorted_sets.cpp
void zadd(Call&);
void zincrby(Call&);
void zrem(Call&);
void zscore(Call&);
void zmscore(Call&);
void zcard(Call&);
void zcount(Call&);
void zlexcount(Call&);
void zrank(Call&);
void zrevrank(Call&);
void zrange(Call&);
void zrevrange(Call&);
void zrangebyscore(Call&);
void zrevrangebyscore(Call&);
void zrangebylex(Call&);
void zrevrangebylex(Call&);
void zremrangebyscore(Call&);
void zremrangebylex(Call&);
void zremrangebyrank(Call&);
void zpopmin(Call&);
void zpopmax(Call&);
void zrandmember(Call&);
void zscan(Call&);

// key_moves.cpp
void rename(Call&);
void renamenx(Call&);
void copy(Call&);
void move(Call&);
void swapdb(Call&);

// transactions.cpp
void multi(Call&);
void exec(Call&);
void discard(Call&);
void watch(Call&);
void unwatch(Call&);

// pubsub.cpp
void subscribe(Call&);
void unsubscribe(Call&);
void psubscribe(Call&);
void punsubscribe(Call&);
void ssubscribe(Call&);
void sunsubscribe(Call&);
void publish(Call&);
void spublish(Call&);
void pubsub_channels(Call&);
void pubsub_numsub(Call&);
void pubsub_numpat(Call&);
void pubsub_shardchannels(Call&);
void pubsub_shardnumsub(Call&);
void pubsub_help(Call&);

// tracking.cpp
void client_tracking(Call&);
void client_caching(Call&);
void client_trackinginfo(Call&);
void client_getredir(Call&);

// scripting.cpp
void eval(Call&);
void eval_ro(Call&);
void evalsha(Call&);
void evalsha_ro(Call&);
void script_load(Call&);
void script_exists(Call&);
void script_flush(Call&);
void script_kill(Call&);
void function_flush(Call&);

// clients.cpp
void client_pause(Call&);
void client_unpause(Call&);
void client_unblock(Call&);
void client_info(Call&);
void client_list(Call&);
void client_kill(Call&);
void client_reply(Call&);
void client_no_evict(Call&);

// settings.cpp
void config_get(Call&);
void config_rewrite(Call&);
void config_set(Call&);
void config_resetstat(Call&);

// acl.cpp
void acl_cat(Call&);
void acl_deluser(Call&);
void acl_dryrun(Call&);
void acl_genpass(Call&);
void acl_getuser(Call&);
void acl_list(Call&);
void acl_load(Call&);
void acl_log(Call&);
void acl_setuser(Call&);
void acl_users(Call&);
void acl_whoami(Call&);

// slow_log.cpp
void slowlog_get(Call&);
void slowlog_len(Call&);
void slowlog_reset(Call&);
void latency_latest(Call&);
void latency_history(Call&);
void latency_reset(Call&);
void latency_graph(Call&);
void latency_doctor(Call&);
void latency_histogram(Call&);
void monitor(Call&);

// inspection.cpp
void memory_doctor(Call&);
void memory_purge(Call&);
void memory_stats(Call&);
void object_encoding(Call&);
void object_freq(Call&);
void object_idletime(Call&);
void object_refcount(Call&);
void memory_usage(Call&);

// keys.cpp
void del(Call&);
void exists(Call&);
void type(Call&);
void dbsize(Call&);
void randomkey(Call&);
void flushdb(Call&);
void flushall(Call&);

// expiry.cpp
void expire(Call&);
void pexpire(Call&);
void expireat(Call&);
void pexpireat(Call&);
void ttl(Call&);
void pttl(Call&);
void persist(Call&);
void expiretime(Call&);
void pexpiretime(Call&);

// ranges.cpp
void scan(Call&);
void keys(Call&);
void scanprefix(Call&);
void delprefix(Call&);
void countprefix(Call&);

// tags.cpp
void tags(Call&);
void deltag(Call&);
void counttag(Call&);
void scantag(Call&);

// connection.cpp
void ping(Call&);
void echo(Call&);
void quit(Call&);
void auth(Call&);
void hello(Call&);
void select(Call&);
void reset(Call&);
void client_id(Call&);
void client_setname(Call&);
void client_getname(Call&);
void client_setinfo(Call&);
void attach(Call&);

// server.cpp
void info(Call&);
void time(Call&);
void shutdown(Call&);
void wait_replicas(Call&);
void role(Call&);
void help(Call&);

// introspection.cpp
void command(Call&);
void command_count(Call&);
void command_docs(Call&);
void command_getkeys(Call&);
void command_getkeysandflags(Call&);
void command_info(Call&);
void command_list(Call&);

// typed.cpp
void tset(Call&);
void tmset(Call&);
void tget(Call&);
void tmget(Call&);
void tpull(Call&);
void tincr(Call&);
void ttouch(Call&);
void tscan(Call&);
void tprune(Call&);
void tstats(Call&);

// leases.cpp
void lease(Call&);
void leaseset(Call&);
void leasedrop(Call&);
void throttle(Call&);

// locks.cpp
void lock(Call&);
void unlock(Call&);
void relock(Call&);
void lockinfo(Call&);
void flushlocks(Call&);

}  // namespace coppice::daemon::handlers
