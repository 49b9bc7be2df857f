// The pool. By hand because OpenMP's waiting cannot be set from inside a program: libgomp's threads spin for
// milliseconds at the end of every loop, and beside other work that made everything seven to ten times
// slower (bench/neighbours.py measures it).
//
// A loop is cut into pieces, and a ticket says which loop it is, how many threads help its owner, and how
// many pieces nobody has taken yet:
//
//   ticket = (loop, helpers, left)      helper h < helpers takes one: (l, n, p) → (l, n, p − 1) if p > 0
//
// Whoever took a piece may read the loop's fields, because its owner waits until all pieces are finished; who
// comes late finds no piece left and reads nothing. So nobody waits for threads, only for pieces, and where
// no other thread gets a processor the owner does all of them itself. Where waiting for the last pieces costs
// more than others did meanwhile, the owner stops calling them for a while (help_balance.h).
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include "base/help_balance.h"
#include "base/processors.h"
#include "base/side_by_side.h"

namespace headwater {
namespace {

using Body = std::function<void(std::int64_t, std::int64_t)>;

// More pieces let threads share evenly, fewer cost less handing out.
constexpr std::int64_t pieces_per_thread = 4;
constexpr std::int64_t most_pieces = 0xffff;  // that a ticket can count
// Between two products of a run lie some microseconds: a thread that sleeps through them would be woken for
// every loop, at more than this costs.
constexpr std::chrono::microseconds patience{50};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

thread_local bool inside = false;  // this thread runs a part of a loop: loops in it stay on this thread

class Inside {
 public:
  Inside() { inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { inside = false; }
};

void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits until `word` is no longer `old`: looks for a moment, then sleeps.
void await_change(const std::atomic<std::uint32_t>& word, std::uint32_t old, bool look_first) {
  if (look_first) {
    const auto until = std::chrono::steady_clock::now() + patience;
    do {
      for (int k = 0; k < 32; ++k) {
        if (word.load(std::memory_order_acquire) != old) return;
        pause_processor();
      }
    } while (std::chrono::steady_clock::now() < until);
  }
  while (word.load(std::memory_order_acquire) == old) word.wait(old, std::memory_order_acquire);
}

// What is left to take of the loop that runs, in one word that threads change by compare and exchange.
class Ticket {
 public:
  Ticket(std::uint32_t loop, std::uint32_t helpers, std::uint32_t left)
      : bits_(std::uint64_t{loop} << 32U | std::uint64_t{helpers} << 16U | left) {}
  explicit Ticket(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits() const { return bits_; }
  std::uint32_t helpers() const { return bits_ >> 16U & 0xffffU; }
  std::uint32_t left() const { return bits_ & 0xffffU; }
  Ticket without(std::uint32_t pieces) const { return Ticket(bits_ - pieces); }

 private:
  std::uint64_t bits_;
};

class Pool {
 public:
  void run(std::int64_t n, std::int64_t pieces, int threads, const Body& body) {
    start_workers(threads - 1);
    look_first_ = threads <= usable_;
    body_ = &body;
    n_ = n;
    pieces_ = pieces;
    failed_piece_ = pieces;
    const auto count = static_cast<std::uint32_t>(pieces);
    const auto helpers = balance_.wanted(seconds_now())
                             ? std::min({static_cast<std::uint32_t>(threads) - 1, count - 1,
                                         static_cast<std::uint32_t>(workers_.size())})
                             : 0;
    unfinished_.store(count, std::memory_order_relaxed);
    ticket_.store(Ticket(++loop_, helpers, count).bits(), std::memory_order_release);
    for (std::uint32_t w = 0; w < helpers; ++w) {
      workers_[w]->called.store(loop_, std::memory_order_release);
      workers_[w]->called.notify_one();
    }
    // What others did is worth what it would have taken here, undisturbed: so long as the fastest piece did.
    double last = seconds_now(), fastest = std::numeric_limits<double>::infinity();
    std::int64_t own = 0;
    {
      const Inside here;
      for (; take_piece([](const Ticket&) { return true; }); ++own) {
        const double now = seconds_now();
        fastest = std::min(fastest, now - last);
        last = now;
      }
    }
    while (const std::uint32_t left = unfinished_.load(std::memory_order_acquire))
      await_change(unfinished_, left, look_first_);
    const double end = seconds_now();
    if (own > 0 && helpers > 0) balance_.tell(fastest * static_cast<double>(pieces - own), end - last, end);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  void forget_experience() { balance_ = {}; }

 private:
  struct alignas(64) Worker {
    std::atomic<std::uint32_t> called{0};  // number of the last loop it was called to
  };

  void start_workers(int wanted) {
    if (static_cast<int>(workers_.size()) >= wanted) return;
    // Signals belong to the thread that called us.
    sigset_t all{}, before{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      while (static_cast<int>(workers_.size()) < wanted) {
        workers_.push_back(std::make_unique<Worker>());
        workers_.back()->called = loop_;
        std::thread(&Pool::serve, this, std::cref(*workers_.back()), loop_,
                    static_cast<std::uint32_t>(workers_.size()) - 1)
            .detach();
      }
    } catch (const std::system_error&) {
      workers_.pop_back();  // no more threads to be had: the loop runs on those there are
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void serve(const Worker& own, std::uint32_t seen, std::uint32_t number) {
    for (;;) {
      await_change(own.called, seen, look_first_);
      seen = own.called.load(std::memory_order_acquire);
      const Inside here;
      while (take_piece([number](const Ticket& ticket) { return number < ticket.helpers(); })) {
      }
    }
  }

  // Takes a piece if there is one and `may` take it, and runs it: a thread that was called to an earlier loop
  // and comes late can find one that wants fewer threads.
  template <class May>
  bool take_piece(const May& may) {
    std::uint64_t bits = ticket_.load(std::memory_order_acquire);
    while (Ticket(bits).left() > 0 && may(Ticket(bits)))
      if (ticket_.compare_exchange_weak(bits, Ticket(bits).without(1).bits(), std::memory_order_acq_rel)) {
        run_piece(pieces_ - Ticket(bits).left());
        return true;
      }
    return false;
  }

  void run_piece(std::int64_t piece) {
    try {
      (*body_)(n_ * piece / pieces_, n_ * (piece + 1) / pieces_);
    } catch (...) {
      fail(piece);
    }
    finish(1);
  }

  void finish(std::uint32_t pieces) {
    if (unfinished_.fetch_sub(pieces, std::memory_order_acq_rel) == pieces) unfinished_.notify_one();
  }

  // Keeps the exception and drops the pieces nobody has: they are taken in order, so all of them come after
  // this one, and which exception is the lowest does not depend on the threads.
  void fail(std::int64_t piece) {
    {
      const std::lock_guard lock(failing_);
      if (piece < failed_piece_) {
        failed_piece_ = piece;
        failure_ = std::current_exception();
      }
    }
    std::uint64_t bits = ticket_.load(std::memory_order_acquire);
    while (const std::uint32_t left = Ticket(bits).left())
      if (ticket_.compare_exchange_weak(bits, Ticket(bits).without(left).bits(), std::memory_order_acq_rel)) {
        finish(left);
        break;
      }
  }

  const int usable_ = usable_processors();
  HelpBalance balance_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<bool> look_first_{true};  // false: more threads than processors, where looking only costs
  std::uint32_t loop_ = 0;
  std::atomic<std::uint64_t> ticket_{0};
  // Of the loop that runs: written before its ticket, read by who holds a piece of it.
  const Body* body_ = nullptr;
  std::int64_t n_ = 0, pieces_ = 0;
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  std::mutex failing_;
  std::int64_t failed_piece_ = 0;
  std::exception_ptr failure_;
};

// Never destroyed: its threads are asleep when the program ends, and the system ends them.
struct Shared {
  explicit Shared(int count) : threads(count) {}
  std::mutex owned;  // by the thread whose loop runs
  Pool pool;
  std::atomic<int> threads;
};

std::atomic<Shared*> current{nullptr};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

Shared& shared() {
  static const bool made = [] {
    current.store(new Shared(thread_budget().threads));
    // A forked child has none of the threads, and perhaps locks that nobody will open: it starts anew.
    pthread_atfork(nullptr, nullptr, [] {
      current.store(new Shared(current.load()->threads.load()));
      inside = false;
    });
    return true;
  }();
  static_cast<void>(made);
  return *current.load(std::memory_order_acquire);
}

}  // namespace

int thread_count() {
  return shared().threads.load(std::memory_order_relaxed);
}

void set_thread_count(int threads) {
  Shared& all = shared();
  const std::lock_guard lock(all.owned);
  all.threads.store(threads > 0 ? threads : thread_budget().threads, std::memory_order_relaxed);
  all.pool.forget_experience();
}

namespace {

// In at most `pieces` pieces.
void run_loop(std::int64_t n, std::int64_t pieces, const Body& body) {
  const int threads = static_cast<int>(std::min<std::int64_t>(thread_count(), pieces));
  if (threads <= 1 || inside) return body(0, n);
  Shared& all = shared();
  const std::unique_lock lock(all.owned, std::try_to_lock);
  if (lock.owns_lock()) return all.pool.run(n, pieces, threads, body);
  const Inside here;
  body(0, n);
}

}  // namespace

void parallel_for(std::int64_t n, std::int64_t grain, const Body& body) {
  if (n <= 0) return;
  const std::int64_t most = std::max<std::int64_t>(1, n / std::max<std::int64_t>(1, grain));
  const std::int64_t threads = std::min<std::int64_t>(thread_count(), most);
  run_loop(n, std::min(most, threads * pieces_per_thread), body);
}

void side_by_side(std::int64_t n, const std::function<void(std::int64_t)>& body) {
  if (n <= 0) return;
  run_loop(n, std::min(n, most_pieces), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace headwater
