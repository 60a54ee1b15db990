/*
   Device memory of the processes of a host that the kernels of other processes write, and the launchers of these kernels. Every
   process has a mailbox in its own memory, into which its neighbors write. Every step is a kernel in the order of a stream, so
   that exchanges can be recorded.

   A number is sent with the number of its exchange next to every four bytes, in one store: a reader that finds the number of the
   exchange has the sent number too. So no fence, which is slow between devices, has to order numbers and a flag, and a reader
   waits only for the numbers that it reads.

   In each exchange every neighbor sends to every neighbor, at least a mark. So a process that has seen the marks of exchange s
   knows that its neighbors have read the numbers of exchange s - 1, and two halves of a mailbox are enough, for odd and for even
   exchanges.
*/
#pragma once

#include "../device.hxx"

namespace hepta::transport
{

constexpr int most_neighbors = 16;

/* Counters on the device: the exchanges done, and the thread blocks of the present kernel that have read their numbers */
struct Progress {
  unsigned done, received;
};

/* The marks that a process receives and sends, one for each neighbor, and the limit of the waits for marks and numbers */
struct Waiting {
  int             n;                     /* neighbors */
  const unsigned *here;                  /* the neighbors' marks in this process's memory */
  unsigned       *there[most_neighbors]; /* this process's mark in each neighbor's memory */
  /* in the host's memory, which the device addresses: set when a neighbor has not sent within `limit` */
  int   *late;
  double limit; /* nanoseconds */
};

/* The parameters of the kernels of a channel */
struct Mailboxes {
  Waiting     waiting;
  Progress   *progress;
  char       *box[most_neighbors];       /* the neighbors' mailboxes */
  std::size_t half[most_neighbors];      /* the bytes of half a mailbox of each neighbor */
  Index       begin[most_neighbors];     /* numbers of a column that precede this process's numbers in the neighbor's mailbox */
  Index       ld[most_neighbors];        /* numbers of a column in the neighbor's mailbox */
  Index       first[most_neighbors + 1]; /* sent numbers first[k] ... first[k + 1] - 1 go to neighbor k */
  bool        shares;                    /* some processes have the same device */
  const char *own;                       /* this process's mailbox */
  std::size_t own_half;
};

constexpr std::size_t mailbox_bytes = 2; /* bytes of a mailbox for each byte of the numbers that it receives */

/*
   The parameters of kernels that add numbers of all processes: each process writes its numbers to its slot in the memory of every
   process, so that all processes add the same numbers in the same order
*/
constexpr int most_sums = 8;

struct Team {
  Waiting   waiting;
  int       rank;
  bool      shares; /* some processes have the same device */
  Progress *progress;
  /* the memory of each process, in two halves for odd and even turns: rank after rank, most_sums numbers each, as in a mailbox */
  void       *there[most_neighbors];
  const void *here;
};

/* Numbers of `size` bytes, 4 or 8: number k of column c is number k % bs of block at[k / bs] (of block k / bs where `at` is null)
   in an array whose columns are ld apart */
struct Numbers {
  int          size;
  Index        n, columns;
  std::size_t  ld;
  int          bs;
  const Index *at;
};

/*
   One kernel that sends the numbers `out` and receives the numbers `in`, NaN (all bits) if a neighbor is late; `out` or `in` may
   be null. The kernel does nothing if stop is not null and *stop is not zero.
*/
Status exchange_cuda(const Mailboxes &, const Numbers *out, const void *from, const Numbers *in, void *to, const int *stop,
                     Stream);

/*
   pack_cuda(): buffer <- the numbers, column after column. unpack_cuda(): the numbers <- buffer, or NaN if late is not null and
   *late is not zero; a kernel is launched even without numbers, since a pass may begin before the preceding kernel has ended.
*/
Status pack_cuda(const Numbers &, const void *from, void *buffer, Stream);
Status unpack_cuda(const Numbers &, const void *buffer, void *to, const int *late, Stream);
/* to[root[d]] <- to[root[d]] + blocks source[first[d]] .. source[first[d+1]-1] of the buffer, in this order, d < n; blocks have
   bs doubles */
Status add_cuda(Index n, int bs, const Index *root, const Index *first, const Index *source, const Scalar *buffer, Scalar *to,
                Stream);
/* to[k] <- the sum of from[r*n + k] over the processes, r ascending, k < n: the same bits on all processes */
Status sum_cuda(Index n, int processes, const Scalar *from, Scalar *to, Stream);
/* *to <- the largest of n unsigned numbers */
Status largest_cuda(int n, const unsigned long long *from, unsigned long long *to, const int *stop, Stream);

/* The identity of the current device, the same in all processes */
Status device_identity(unsigned char identity[16]);
/* Memory of a device that other processes may open by its handle; zeros */
constexpr int handle_bytes = 64;
Status        export_memory(std::size_t bytes, void **p, unsigned char handle[handle_bytes]);
Status        open_memory(const unsigned char handle[handle_bytes], void **p);
Status        close_memory(void *p);
/* zeros the memory after all work on the device, and waits for the zeros */
Status clear_memory(void *p, std::size_t bytes);

/* later launches in stream `after` wait for all launches so far in stream `before` */
Status follow(Stream before, Stream after);
/* start_copy() copies between host and device in the order of the stream; wait_for() waits for all launches in the stream */
Status start_copy(void *to, const void *from, std::size_t bytes, Stream);
Status wait_for(Stream);

/* After all that was launched in the stream: *to <- number, *copy <- *from; `to` and `from` are in the host's memory, which the
   device addresses */
Status publish_cuda(int *to, int number, const int *from, int *copy, Stream);

} // namespace hepta::transport
