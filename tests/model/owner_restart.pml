/* Invariants 7, 9 and 10 of docs/shared-memory.md: an owner that can stop, go on and die at any point, the one that
 * takes its place, and a reader of the first one's segment.
 *
 * Time is a number that grows while it likes: an owner that does not renew its lease for long is one that was stopped.
 * One assumption is built in: a dying process closes all its descriptors within less than a lease, so time stands still
 * between the first and the last of them.
 *
 * Each mutation must be found faulty (check.sh):
 *   NO_LEASE   the reader never looks whether its owner lives
 *   NO_SOCKET  past the lease the reader goes on without looking at its socket
 *   NO_WAIT    the new owner acknowledges writes at once
 *   NO_LOCK    the new owner does not wait for the file lock
 *   ONLY_LEASE past the lease the reader takes its owner for dead
 */

#define LEASE 2
#define LAG 1         /* how far the coarse clock may be behind */
#define END_OF_TIME 8
#define WRITES 2
#define READS 2

byte now;
byte lease = LEASE;      /* in the old segment's header */
bool old_lives = true;
bool dying = false;
bool socket_open = true; /* the old owner's end of the reader's connection */
bool locked = true;
bool new_serves = false;
byte value[2];           /* newest number published in each segment, 0: none */
byte acknowledged;       /* newest number that a writer was told of */

proctype Time() {
  do
  :: now < END_OF_TIME && !dying -> now++
  :: now == END_OF_TIME -> break
  od
}

proctype OldOwner() {
  byte t, n;
  do
  :: n < WRITES -> n++;
    value[0] = value[0] + 1;
    acknowledged = value[0]
  :: now < END_OF_TIME -> t = now; lease = t + LEASE    /* may be stopped in between */
  :: break
  od;
  /* kill -9: nothing more of it runs; the kernel closes its descriptors, in an order that is not ours to choose */
  atomic { old_lives = false; dying = true };
  if
  :: socket_open = false; locked = false
  :: locked = false; socket_open = false
  fi;
  dying = false
}

proctype NewOwner() {
  byte started, n;
#ifdef NO_LOCK
  skip;
#else
  atomic { !locked -> locked = true };
#endif
  started = now;
  new_serves = true;    /* attaches and answers reads */
#ifndef NO_WAIT
  now > started + LEASE + LAG;    /* (9) */
#endif
  do
  :: n < WRITES -> n++;
    value[1] = acknowledged + 1;
    acknowledged = value[1]
  :: n == WRITES -> break
  od
}

proctype Reader() {
  byte needed, coarse, until, got, reads, segment;
  do
  :: reads == READS -> break
  :: reads < READS ->
    reads++;
    needed = acknowledged;
    if
    :: segment == 1 -> got = value[1]
    :: segment == 0 ->
      if
      :: coarse = now
      :: now >= LAG -> coarse = now - LAG
      fi;
      until = lease;
      if
#ifdef NO_LEASE
      :: got = value[0]
#else
      :: until > coarse -> got = value[0]    /* (9) */
      :: until <= coarse ->
#ifdef NO_SOCKET
        got = value[0]
#else
        if
#ifndef ONLY_LEASE
        :: socket_open -> got = value[0]     /* (9) only slow */
        :: !socket_open ->
#else
        :: true ->
#endif
          assert(!old_lives);                /* a living owner's readers never miss */
          got = 0;
          if
          :: new_serves -> segment = 1       /* connects again */
          :: true
          fi
        fi
#endif
#endif
      fi
    fi;
    /* (7) A miss is allowed after a restart, an old value never. */
    assert(got == 0 || got >= needed)
  od
}

init {
  atomic {
    run Time();
    run OldOwner();
    run NewOwner();
    run Reader()
  }
}
