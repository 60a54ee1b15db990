/*
   Device memory that several processes of a host write to each other, and the launchers that use it. Every process has a mailbox in its own memory into which its
   neighbors write. All is done by kernels in the order of a stream, so that it can be recorded.

   A number is sent with the number of its exchange next to every four bytes, in one store: who finds the exchange that it waits for has the number too. So no fence has to
   order numbers and a flag, which takes several microseconds between devices, and nobody waits for more than what it reads.

   An exchange goes to all neighbors and comes from all of them, with a mark alone where there are no numbers to send. So a process that has seen the marks of exchange s knows that
   its neighbors have read what exchange s - 1 brought, and two halves of a mailbox are enough: odd exchanges use one, even ones the other.
*/
#pragma once

#include "../device.hxx"

namespace hepta::transport
{

constexpr int most_neighbors = 16;

/* What is counted on the device: exchanges done, and the thread blocks of the present kernel that have read what they need of one */
struct Progress {
  unsigned done, received;
};

/* A process's own marks, one for each neighbor, and how long it waits for them and for numbers */
struct Waiting {
  int             n;                     /* neighbors */
  const unsigned *here;                  /* their marks in this process's memory */
  unsigned       *there[most_neighbors]; /* this process's mark in each neighbor's memory */
  int            *late;                  /* on the host, which the device addresses: set when a neighbor has not come within `limit` */
  double          limit;                 /* nanoseconds */
};

/* What the kernels of a channel know */
struct Mailboxes {
  Waiting     waiting;
  Progress   *progress;
  char       *box[most_neighbors];       /* the neighbors' mailboxes, */
  std::size_t half[most_neighbors];      /* the bytes of a half of each, */
  Index       begin[most_neighbors];     /* how many numbers of a column stand there before those of this process, */
  Index       ld[most_neighbors];        /* and in all */
  Index       first[most_neighbors + 1]; /* which of the numbers sent goes to which neighbor */
  bool        shares;                    /* some processes have the same device */
  const char *own;                       /* this process's mailbox */
  std::size_t own_half;
};

constexpr std::size_t mailbox_bytes = 2; /* of a mailbox, for each byte of the numbers that it takes */

/* What kernels of all processes know that add numbers up: each writes its own to a slot of its own in the memory of every process, so that all add the same ones in the same order */
constexpr int most_sums = 8;

struct Team {
  Waiting     waiting;
  int         rank;
  bool        shares; /* some processes have the same device */
  Progress   *progress;
  void       *there[most_neighbors]; /* two halves for each process, odd and even sums in turn: rank after rank, most_sums numbers each, as in a mailbox */
  const void *here;
};

/* Numbers of `size` bytes, 4 or 8: number k of column c is number k % bs of block at[k / bs] (of block k / bs where `at` is null) in an array whose columns are ld apart */
struct Numbers {
  int          size;
  Index        n, columns;
  std::size_t  ld;
  int          bs;
  const Index *at;
};

/* The numbers `out` go, and those of `in` come, NaN (all bits) where a neighbor is late: in one kernel, or one of them, the other being null. Nothing happens where *stop is not zero; null: it always does. */
Status exchange_cuda(const Mailboxes &, const Numbers *out, const void *from, const Numbers *in, void *to, const int *stop, Stream);

/* buffer <- the numbers, column after column, and back; NaN instead if *late is not zero; late may be null: zero */
Status pack_cuda(const Numbers &, const void *from, void *buffer, Stream);
Status unpack_cuda(const Numbers &, const void *buffer, void *to, const int *late, Stream);
/* to[root[d]] <- to[root[d]] + the doubles of the buffer at source[first[d]] .. source[first[d+1]-1], one after the other, d < n, whose blocks have bs numbers */
Status add_cuda(Index n, int bs, const Index *root, const Index *first, const Index *source, const Scalar *buffer, Scalar *to, Stream);
/* An empty kernel, to stand between an exchange of another stream and a pass: a pass may begin before the kernel in front of it has ended, and must not begin before the exchange has. */
Status nothing_cuda(Stream);
/* to[k] <- the sum of from[r*n + k] over the processes, r ascending, k < n: the same bits on all of them */
Status sum_cuda(Index n, int processes, const Scalar *from, Scalar *to, Stream);
/* *to <- the largest of n unsigned numbers */
Status largest_cuda(int n, const unsigned long long *from, unsigned long long *to, const int *stop, Stream);

/* The present device's identity, the same in all processes */
Status device_identity(unsigned char identity[16]);
/* Memory of a device that other processes may open by its handle; zeros */
constexpr int handle_bytes = 64;
Status        export_memory(std::size_t bytes, void **p, unsigned char handle[handle_bytes]);
Status        open_memory(const unsigned char handle[handle_bytes], void **p);
Status        close_memory(void *p);
/* zeros, when it returns, after all that runs on the device */
Status clear_memory(void *p, std::size_t bytes);

/* work given to `after` from here on waits for what `before` has been given */
Status follow(Stream before, Stream after);
/* a copy between host and device in the order of the stream, which returns before it is done; and until all on the stream is */
Status start_copy(void *to, const void *from, std::size_t bytes, Stream);
Status wait_for(Stream);

/* When all that the stream has been given is done: *to <- the number, *copy <- *from; to and from in the host's memory, which the device addresses */
Status publish_cuda(int *to, int number, const int *from, int *copy, Stream);

} // namespace hepta::transport
