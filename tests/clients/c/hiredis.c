// hiredis as a C program's cache client: replies of every type, binary values, pipelines read in pieces, subscriptions and
// errors. Prints the lines that ../run.py counts.
#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed = 0;

static void check(bool right, const char* name) {
  if (right) {
    printf("ok %s\n", name);
  } else {
    printf("not ok %s\n", name);
    ++failed;
  }
  fflush(stdout);
}

static redisContext* connected(void) {
  redisContext* c = redisConnectUnix(getenv("COPPICE_SOCKET"));
  if (c == NULL || c->err != 0) {
    printf("not ok connect: %s\n", c == NULL ? "no memory" : c->errstr);
    exit(1);
  }
  return c;
}

static bool is_status(redisReply* r, const char* text) {
  const bool right = r != NULL && r->type == REDIS_REPLY_STATUS && strcmp(r->str, text) == 0;
  freeReplyObject(r);
  return right;
}
static bool is_integer(redisReply* r, long long n) {
  const bool right = r != NULL && r->type == REDIS_REPLY_INTEGER && r->integer == n;
  freeReplyObject(r);
  return right;
}
static bool is_bytes(redisReply* r, const void* bytes, size_t n) {
  const bool right = r != NULL && r->type == REDIS_REPLY_STRING && r->len == n && memcmp(r->str, bytes, n) == 0;
  freeReplyObject(r);
  return right;
}
static bool is_nil(redisReply* r) {
  const bool right = r != NULL && r->type == REDIS_REPLY_NIL;
  freeReplyObject(r);
  return right;
}
static bool is_error(redisReply* r, const char* text) {
  const bool right = r != NULL && r->type == REDIS_REPLY_ERROR && strcmp(r->str, text) == 0;
  freeReplyObject(r);
  return right;
}

static void replies_of_every_type(redisContext* c) {
  check(is_status(redisCommand(c, "SET %b %b", "k\0ey", (size_t)4, "\0\xff\r\n", (size_t)4), "OK"), "a binary key and value");
  check(is_bytes(redisCommand(c, "GET %b", "k\0ey", (size_t)4), "\0\xff\r\n", 4), "come back byte for byte");
  check(is_nil(redisCommand(c, "GET k")), "nothing is nil");
  check(is_integer(redisCommand(c, "INCRBY n %d", -7), -7), "an integer below zero");
  check(is_error(redisCommand(c, "GET"), "ERR wrong number of arguments for 'get' command"), "an error");
  redisReply* r = redisCommand(c, "MGET n none n");
  check(r != NULL && r->type == REDIS_REPLY_ARRAY && r->elements == 3 && r->element[0]->type == REDIS_REPLY_STRING &&
            r->element[1]->type == REDIS_REPLY_NIL && strcmp(r->element[2]->str, "-7") == 0,
        "an array with a nil");
  freeReplyObject(r);
  check(is_status(redisCommand(c, "MULTI"), "OK") && is_status(redisCommand(c, "INCR n"), "QUEUED") &&
            is_status(redisCommand(c, "GET n"), "QUEUED"),
        "a transaction queues");
  r = redisCommand(c, "EXEC");
  check(r != NULL && r->type == REDIS_REPLY_ARRAY && r->elements == 2 && r->element[0]->integer == -6 &&
            strcmp(r->element[1]->str, "-6") == 0,
        "and answers all at once");
  freeReplyObject(r);
}

static void a_value_larger_than_any_buffer(redisContext* c) {
  const size_t size = 20u << 20;
  char* value = malloc(size);
  for (size_t i = 0; i < size; ++i) value[i] = (char)(i * 31 + (i >> 9));
  check(is_status(redisCommand(c, "SET large %b", value, size), "OK"), "20 MB are stored");
  check(is_bytes(redisCommand(c, "GET large"), value, size), "20 MB come back");
  free(value);
  check(is_integer(redisCommand(c, "DEL large"), 1), "and are deleted");
}

static void a_deep_pipeline(redisContext* c) {
  const int count = 50000;
  bool right = true;
  for (int i = 0; i < count; ++i) {
    redisAppendCommand(c, "SET p:%d %d EX 1000", i, i);
    redisAppendCommand(c, "GET p:%d", i);
  }
  for (int i = 0; i < count && right; ++i) {
    redisReply* r = NULL;
    right = redisGetReply(c, (void**)&r) == REDIS_OK && is_status(r, "OK");
    right = right && redisGetReply(c, (void**)&r) == REDIS_OK && r->type == REDIS_REPLY_STRING && atoi(r->str) == i;
    if (right) freeReplyObject(r);
  }
  check(right, "100,000 commands before the first reply is read");
  check(is_integer(redisCommand(c, "EXISTS p:0 p:%d", count - 1), 2), "all were done");
}

static void a_group_of_keys(redisContext* c) {
  if (strcmp(getenv("COPPICE_SERVER"), "coppice") != 0) return;
  check(is_integer(redisCommand(c, "DELPREFIX p:"), 50000), "a prefix is deleted in one command");
  check(is_integer(redisCommand(c, "COUNTPREFIX p:"), 0), "and nothing is left of it");
}

static void a_scan(redisContext* c) {
  char cursor[32] = "0";
  size_t seen = 0;
  freeReplyObject(redisCommand(c, "FLUSHDB"));
  for (int i = 0; i < 1000; ++i) freeReplyObject(redisCommand(c, "SET s:%d v", i));
  do {
    redisReply* r = redisCommand(c, "SCAN %s MATCH s:* COUNT 17", cursor);
    if (r == NULL || r->type != REDIS_REPLY_ARRAY) {
      check(false, "SCAN answers an array");
      return;
    }
    snprintf(cursor, sizeof cursor, "%s", r->element[0]->str);
    seen += r->element[1]->elements;
    freeReplyObject(r);
  } while (strcmp(cursor, "0") != 0);
  check(seen == 1000, "a scan sees every key once");
}

static void resp_3(void) {
  redisContext* c = connected();
  redisReply* r = redisCommand(c, "HELLO 3");
#ifdef REDIS_REPLY_MAP
  check(r != NULL && r->type == REDIS_REPLY_MAP && r->elements == 14, "HELLO 3 answers a map of seven");
  freeReplyObject(r);
  check(is_nil(redisCommand(c, "GET none")), "nothing is nil in RESP3");
#else
  printf("skip HELLO 3 answers a map of seven: this hiredis knows RESP2 only\n");
  freeReplyObject(r);
#endif
  redisFree(c);
}

static void a_subscription(redisContext* c) {
  redisContext* listener = connected();
  redisReply* r = redisCommand(listener, "SUBSCRIBE channel");
  check(r != NULL && r->elements == 3 && r->element[2]->integer == 1, "a subscription is confirmed");
  freeReplyObject(r);
  check(is_integer(redisCommand(c, "PUBLISH channel %s", "text"), 1), "one client hears");
  r = NULL;
  check(redisGetReply(listener, (void**)&r) == REDIS_OK && r->elements == 3 && strcmp(r->element[0]->str, "message") == 0 &&
            strcmp(r->element[2]->str, "text") == 0,
        "what was published");
  freeReplyObject(r);
  redisFree(listener);
}

static void a_broken_request(void) {
  redisContext* c = connected();
  redisReply* r = NULL;
  redisAppendFormattedCommand(c, "*1\r\n$-5\r\n", 9);
  const bool answered = redisGetReply(c, (void**)&r) == REDIS_OK && is_error(r, "ERR Protocol error: invalid bulk length");
  check(answered && redisGetReply(c, (void**)&r) == REDIS_ERR && c->err == REDIS_ERR_EOF, "a protocol error is told, then the end");
  redisFree(c);
}

int main(void) {
  redisContext* c = connected();
  replies_of_every_type(c);
  a_value_larger_than_any_buffer(c);
  a_deep_pipeline(c);
  a_group_of_keys(c);
  a_scan(c);
  resp_3();
  a_subscription(c);
  a_broken_request();
  redisFree(c);
  return failed == 0 ? 0 : 1;
}
