/*
   Preloaded into the tests' MPI programs. A rank of MPICH that waits for a message polls without giving up its core, so
   that more ranks than cores wait for each other's time slices (4 ranks on 2 busy cores: a minute instead of 3 seconds).
   This stands before UCX's polling function and sleeps for a moment whenever nothing has come for a while. Other MPIs
   never call it.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker); /* found by the linker only if exported */

unsigned ucp_worker_progress(void *worker)
{
  static unsigned (*poll)(void *);
  static int            idle;
  const struct timespec moment = {0, 1000};
  unsigned              events;

  if (!poll) {
    void *const library = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD); /* which Python loads where RTLD_NEXT does not look */

    *(void **)&poll = library ? dlsym(library, "ucp_worker_progress") : dlsym(RTLD_NEXT, "ucp_worker_progress");
  }
  events = poll(worker);
  if (events) idle = 0;
  else if (++idle > 30) nanosleep(&moment, NULL);
  return events;
}
