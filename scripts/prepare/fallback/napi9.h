// better-sqlite3 asks for Node-API 10, of which it uses one thing: a persistent reference to a string. Under
// Node-API 9 a reference must be to an object, so here the string is element 0 of an array, and the reference is to
// the array. Forced into the build (-include) where the Electron has Node-API 9.
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
