// RUN: kowari-opt %s --plan-memory --split-input-file --verify-diagnostics
//
// What plan-memory refuses.

// expected-error @below {{plan-memory needs plan.max_rows and plan.persistent_bytes on the module}}
module attributes {plan.max_rows = 32 : i64} {
}

// -----

// expected-error @below {{plan-memory needs plan.max_rows and plan.persistent_bytes on the module}}
module attributes {plan.persistent_bytes = 64 : i64} {
}
