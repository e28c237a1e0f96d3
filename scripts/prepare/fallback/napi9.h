// better-sqlite3 needs Node-API 10 for one feature: a persistent reference to a string. In Node-API 9 only objects can be
// referenced. This specialization stores the string in an array and references the array. The build includes it (-include).
#pragma once

#include <napi.h>

namespace Napi {

template <>
class Reference<String> {
 public:
  Reference() = default;

  static Reference<String> New(const String& value, uint32_t initialRefcount = 0) {
    Array box = Array::New(value.Env(), 1);
    box.Set(uint32_t{0}, value);
    Reference<String> reference;
    reference.box_ = Reference<Object>::New(box, initialRefcount);
    return reference;
  }

  String Value() const { return box_.Value().Get(uint32_t{0}).As<String>(); }

 private:
  Reference<Object> box_;
};

}  // namespace Napi
