// Marks what the shared library exports; everything else in it is hidden.
#pragma once

#if defined(__GNUC__)
#define HEADWATER_API __attribute__((visibility("default")))
#else
#define HEADWATER_API
#endif
