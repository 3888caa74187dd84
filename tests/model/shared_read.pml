/* The read plane of docs/shared-memory.md: one owner that overwrites, erases, inserts and gives a page to another size
 * class, and one reader without a lock. Numbers in brackets are the document's invariants.
 *
 * Spin interleaves single accesses in one order that all see. What the fences forbid is therefore modelled by mutation:
 * with -DNO_RETIRE_FENCE or -DNO_ACQUIRE_FENCE the accesses come in the order that a machine without the fence may
 * choose. Each mutation must be found faulty (check.sh), or the model would prove nothing:
 *   NO_RECHECK        the reader does not load the version again                    (4)
 *   NO_ACQUIRE_FENCE  ... loads it again before the copy is complete                (4)
 *   NO_RETIRE_FENCE   bytes of a retired block change before its version is odd     (3)
 *   EARLY_VERSION     the version is even before the block is filled                (2)
 *   NO_KEY_CHECK      the slot's tag is believed                                    (4)
 *   NO_PAGE_WORD      the reader does not look at the page's generation             (12)
 *   NO_MISS_CHECK     a miss is believed though slots moved                         (6)
 *
 * Two pages of six words. Page 0 changes its size class; page 1 keeps it.
 *   class A: | version lo hi | version lo hi |
 *   class B: | version lo hi   data data data |    the data may look like any version
 * An entry of key k written as number n has lo = hi = k * 8 + n. Both keys' home is slot 0.
 */

#define K 1
#define L 2
#define NONE 255
#define OPERATIONS 4
#define ATTEMPTS 3

#define CLASS_FREE 0
#define CLASS_A 1
#define CLASS_B 2

byte mem[12];
byte page_word[2];    /* generation * 4 + class */
byte slot[2];         /* 0, or offset + 1 */
byte sequence;        /* odd while slots move */
byte acknowledged;    /* of key K, told outside the segment */

#define page_of(at) ((at) / 6)
#define class_of(word) ((word) % 4)

/* ---- the owner's own bookkeeping, unseen by the reader */
bool used[12];
byte version = 2;
byte written;         /* number of the newest write of K */

inline retire(block) {
#ifndef NO_RETIRE_FENCE
  mem[block] = mem[block] | 1;    /* (3), before anything else */
#endif
  used[block] = false
}

inline set_page(word, class) {
  word = (word / 4 + 1) * 4 + class    /* (12) */
}

/* A free block of class A. */
inline choose(block) {
  if
  :: class_of(page_word[0]) == CLASS_A && !used[0] -> block = 0
  :: class_of(page_word[0]) == CLASS_A && !used[3] -> block = 3
  :: !used[6] -> block = 6
  :: !used[9] -> block = 9
  :: else -> block = NONE
  fi
}

inline fill(block, key, number) {
  used[block] = true;
  version = version + 2;
#ifdef EARLY_VERSION
  mem[block] = version;
#endif
  mem[block + 1] = key * 8 + number;
  mem[block + 2] = key * 8 + number;
#ifndef EARLY_VERSION
  mem[block] = version    /* (2) even, after the rest */
#endif
}

proctype Owner() {
  byte n, block, old, at;
  do
  :: n == OPERATIONS -> break
  :: n < OPERATIONS -> n++;
    if
    /* overwrite K */
    :: choose(block);
      if
      :: block == NONE
      :: else ->
        written++;
        at = 0;
        do
        :: slot[at] != 0 && mem[slot[at]] / 8 == K -> break
        :: else -> at++
        od;
        old = slot[at] - 1;
        fill(block, K, written);
        slot[at] = block + 1;    /* (2) */
        retire(old);
        acknowledged = written    /* (7) */
      fi

    /* erase L: what stands behind it moves up */
    :: slot[0] != 0 && mem[slot[0]] / 8 == L ->
      old = slot[0] - 1;
      sequence++;    /* (6) */
      if
      :: slot[1] != 0 -> slot[0] = slot[1]; slot[1] = 0
      :: else -> slot[0] = 0
      fi;
      sequence++;    /* (6) */
      retire(old)
    :: slot[1] != 0 && mem[slot[1]] / 8 == L ->
      old = slot[1] - 1;
      sequence++;
      slot[1] = 0;
      sequence++;
      retire(old)

    /* insert L */
    :: slot[1] == 0 && slot[0] != 0 && mem[slot[0]] / 8 == K ->
      choose(block);
      if
      :: block == NONE
      :: else -> fill(block, L, 0); slot[1] = block + 1
      fi

    /* give page 0 to the other class; nothing lives in it */
    :: class_of(page_word[0]) == CLASS_A && !used[0] && !used[3] ->
      set_page(page_word[0], CLASS_FREE);
      mem[0] = 0;
      set_page(page_word[0], CLASS_B);
      mem[1] = L * 8; mem[2] = L * 8;
      /* Bytes that somebody stored: any version that there ever was, and halves of values. */
      if
      :: mem[3] = version
      :: mem[3] = version - 2
      :: mem[3] = 3
      fi;
      mem[4] = K * 8 + 7; mem[5] = L * 8
    :: class_of(page_word[0]) == CLASS_B ->
      set_page(page_word[0], CLASS_FREE);
      mem[0] = 0; mem[3] = 0;
      set_page(page_word[0], CLASS_A)
    fi
  od
}

proctype Reader() {
  byte needed, attempt, i, s, word, v, lo, hi, before;
begin:
  d_step { needed = acknowledged; attempt = 0 }
again:
  if
  :: attempt == ATTEMPTS -> goto done    /* (4) the owner is asked */
  :: else -> attempt++
  fi;
  before = sequence;    /* (6) */
  i = 0;
probe:
  if
  :: i == 2 -> goto miss
  :: else
  fi;
  s = slot[i];    /* (4) */
  if
  :: s == 0 -> goto miss
  :: else -> s--
  fi;
  word = page_word[page_of(s)];    /* (12) */
  if
  :: class_of(word) == CLASS_FREE || (class_of(word) == CLASS_B && s % 6 != 0) -> goto again    /* (5) */
  :: else
  fi;
  v = mem[s];    /* (4) */
  if
  :: v == 0 || v % 2 == 1 -> goto again
  :: else
  fi;
  lo = mem[s + 1];
#ifndef NO_KEY_CHECK
  if
  :: lo / 8 != K ->
    if
    :: mem[s] != v || page_word[page_of(s)] != word || slot[i] != s + 1 -> goto again
    :: else -> i++; goto probe
    fi
  :: else
  fi;
#endif
#ifdef NO_ACQUIRE_FENCE
  if
  :: mem[s] != v || page_word[page_of(s)] != word -> goto again
  :: else
  fi;
  hi = mem[s + 2];
#else
  hi = mem[s + 2];
#ifndef NO_RECHECK
  if
  :: mem[s] != v -> goto again    /* (4) */
  :: else
  fi;
#endif
#ifndef NO_PAGE_WORD
  if
  :: page_word[page_of(s)] != word -> goto again    /* (12) */
  :: else
  fi;
#endif
#endif
  assert(lo == hi);             /* never torn */
  assert(lo / 8 == K);          /* never another key's */
  assert(lo % 8 >= needed);     /* (7) never older than what was acknowledged before the read began */
  goto done;
miss:
#ifndef NO_MISS_CHECK
  if
  :: before % 2 == 1 || sequence != before -> goto again    /* (6) */
  :: else
  fi;
#endif
  assert(false);                /* K is there all the time */
done:
  skip
}

init {
  atomic {
    page_word[0] = CLASS_A;
    page_word[1] = CLASS_A;
    used[6] = true; mem[6] = 2; mem[7] = L * 8; mem[8] = L * 8;
    used[3] = true; mem[3] = 2; mem[4] = K * 8; mem[5] = K * 8;
    slot[0] = 7;
    slot[1] = 4;
    run Owner();
    run Reader()
  }
}
