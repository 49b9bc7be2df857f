// Checks that take runs of their own, such as a finite difference beside a gradient: left out where nobody
// will see them.
#pragma once

namespace headwater {

namespace detail {
inline thread_local int unseen_checks = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
}

// While one lives, methods on this thread leave such checks out.
class WithoutChecks {
 public:
  WithoutChecks() { ++detail::unseen_checks; }
  WithoutChecks(const WithoutChecks&) = delete;
  WithoutChecks& operator=(const WithoutChecks&) = delete;
  ~WithoutChecks() { --detail::unseen_checks; }
};

inline bool checks_wanted() {
  return detail::unseen_checks == 0;
}

}  // namespace headwater
