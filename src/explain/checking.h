// Some checks need extra runs, such as a finite difference for a gradient. They are skipped where nobody will
// see them.
#pragma once

namespace headwater {

namespace detail {
inline thread_local int unseen_checks = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
}

// While an object of this class exists, methods on this thread skip such checks.
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
