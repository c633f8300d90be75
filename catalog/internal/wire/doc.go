// Package wire encodes and decodes the values of a catalog: protobuf messages in sealed envelopes.
// It knows neither buckets nor records.
//
//   - [Seal] and [Unseal] put a message into an envelope and take it out again.
//   - A [Coder] goes through the fields of one message. A type lists its fields once, in a function that calls a method
//     of the coder for each; [Encode] and [Decode] use the same list in both directions.
//   - [Message] and [List] are fields that are messages themselves.
//
// # Caveats
//
//   - A field that holds its zero value is left out, as in proto3. A method that takes set writes the field if set,
//     also if it is zero.
//   - A list is gone through several times if the fields of a message are out of order. Local variables of the list
//     don't last from one time to the next.
//   - Fields that are not in the list, or have another type there, are skipped.
//   - Decoding checks that numbers fit and that lists have no more than so many elements. Whether they make sense
//     together is for the caller to check.
package wire
