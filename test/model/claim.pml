/*
 * A leased operation under one key, as Spin sees it: claim, lease, takeover, fenced completion and fenced release.
 * Two requests and the reconciler, each of which may be slower than any lease, and FAULTS things that go wrong.
 *
 *   spin -run claim.pml              no error: at most one charge, one booking, one reply
 *   spin -run -DUNFENCED claim.pml   an error: without the fences there is a second one
 *
 * Each atomic block is one call to DynamoDB or to the provider, with what its caller makes of the answer; between two of
 * them anything may happen. `npm run model` checks both.
 */

#ifndef FAULTS
#define FAULTS 2
#endif

/* How often a request is sent, or the reconciler comes by. */
#ifndef TRIES
#define TRIES 2
#endif

#ifdef UNFENCED
#define HELD(token) (status != absent)
#else
#define HELD(token) (owner == token && status == in_progress)
#endif

mtype = { absent, in_progress, completed };

/* The record. Its lease is not here: it may end at any moment, so whoever meets a running attempt may find it over. */
mtype status = absent;
byte owner;       /* the owner token: every attempt has one of its own */
byte operation;   /* the operation id: made at a claim from the token, kept across takeovers */
byte reply;       /* the attempt whose reply is stored */

/* The provider knows an operation id again. */
bool charged[16];
byte charges;

/* What is in the ledger, and which reply was told first. */
byte booked;
byte told;

byte faults = FAULTS;

/* The function dies, or no answer ever comes: whoever sent the request comes again, as a new attempt. */
#define OR_FAILS(next) if :: goto next :: faults > 0 -> faults--; goto again fi
/* The answer is lost, and the SDK sends the same write again. */
#define OR_RESENT(call, next) if :: goto next :: faults > 0 -> faults--; goto again :: faults > 0 -> faults--; goto call fi

inline tell() {
  assert(told == 0 || told == reply);
  told = reply
}

proctype Attempts(byte number; bool reconciles) {
  byte token;
  byte seen;      /* the owner whose lease was seen to be over */
  byte mine;      /* the operation id that this attempt works under */
  byte tries;
  bool first;     /* is this the operation's first attempt, so that nothing can have happened yet? */

again:
  atomic {
    if
    :: tries == TRIES -> goto over
    :: else -> tries++
    fi;
    token = number * 4 + tries; seen = 0; mine = 0; first = false
  };

claim:
  /* PutItem if there is none; the loser learns the record from the same call. */
  atomic {
    if
    :: status == absent ->
         if
         :: reconciles -> goto again
         :: else -> status = in_progress; owner = token; operation = token; mine = token; first = true
         fi
    :: status == completed -> tell(); goto over
    :: status == in_progress && owner == token ->      /* its own write, sent again */
         mine = operation; first = true
    :: status == in_progress && owner != token ->
         if
         :: goto again                                 /* 409: come back later */
         :: seen = owner; mine = operation; goto takeover
         fi
    fi;
    OR_RESENT(claim, held)
  };

takeover:
  /* A compare-and-set on the owner that was seen. */
  atomic {
    if
    :: status == in_progress && owner == seen -> owner = token; first = false
    :: status == in_progress && owner == token         /* its own write, sent again */
    :: else -> goto again
    fi;
    OR_RESENT(takeover, held)
  };

held:
  if
  :: first -> goto release
  :: goto provider
  fi;

release:
  /* Before anything happened, the first attempt may give the key back. */
  atomic {
    if
    :: HELD(token) -> status = absent; owner = 0; operation = 0
    :: else
    fi;
    OR_RESENT(release, again)
  };

provider:
  /* The provider is called under the operation id, and charges once for it. */
  atomic {
    if
    :: !charged[mine] -> charged[mine] = true; charges++
    :: else
    fi;
    assert(charges <= 1);
    OR_FAILS(complete)
  };

complete:
  /* The outcome is booked and the reply stored in one fenced transaction. */
  atomic {
    if
    :: HELD(token) -> status = completed; reply = token; booked++; assert(booked <= 1)
    :: !HELD(token) && status == completed      /* its own reply is there, or another's */
    :: !HELD(token) && status != completed -> goto again
    fi;
    OR_RESENT(complete, answer)
  };

answer:
  atomic { tell() };

over:
  skip
}

init {
  atomic {
    run Attempts(0, false);
    run Attempts(1, false);
    run Attempts(2, true)
  }
}
