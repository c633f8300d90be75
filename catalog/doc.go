// Package catalog is the table of contents of a store: which names there are, what they stand for,
// and which storages hold their elements. It is one bbolt file, changed in transactions that are
// visible to all processes together or not at all. The catalog knows neither the bytes of storages
// nor how views compute; it keeps their records right.
//
//   - A [Catalog] is a handle: [Create], [Open], [Catalog.View], [Catalog.Update], [Catalog.Lookup], [Catalog.Check].
//   - A [Tx] is one transaction: Get, Put, Delete, Rename and List names; storages, trash and redo entries beside them.
//   - A [Record] is what a name stands for: a strided tensor over a [Storage], a typed [Value], or a
//     [Formula] that is computed when it is read.
//   - A [Snapshot] names a state that was kept, in a file of its own; open, it is an [Image].
//   - [Rebuild] makes a new catalog in the place of a lost one.
//
// # Names
//
// Names are paths, "weather/t2m"; see [CheckName]. A name is a value or a group, never both. Groups
// exist by what lies in them. Names compare by their parts, so that what a group holds follows it
// directly.
//
// # Processes
//
// bbolt is opened, used and closed by each transaction, so any number of processes share a store.
// They queue at two bytes of the permanent file "lock", by open file description locks: everyone
// passes byte 1 alone, and takes byte 0 there, shared to read and alone to write; see package
// filelock. So no writer starves, and bbolt's own lock, which is polled, is always free. A
// transaction costs some 60 µs to read and a commit with two syncs to write; all processes wait for
// a callback that is slow, so do nothing in it but use the Tx. Where the lock file cannot be used
// (Windows, read-only media), bbolt's own lock does the work, less fairly.
//
// # Caveats
//
//   - A callback must not use its Catalog: it would wait for itself, until the lock timeout.
//   - A commit that fails is in doubt: an [*InDoubtError] says what was visible afterwards. The handle writes no more.
//   - A commit error other than that, and any error of a callback, changed nothing.
//   - Attributes and blobs are for small things. A transaction's changes are held in memory until its commit.
//   - bbolt files never shrink; freed pages are used again.
//
// # Snapshots
//
// A snapshot is a copy of the database, made by [Tx.Copy] and named by [Tx.PutSnapshot] in one
// transaction. The copy never changes. Files of storages that were there when it was made are held:
// Put, Delete and PutStorage don't queue them as trash, and who changes bytes in place asks
// [Tx.Held] first. A storage knows the number of the last snapshot before its file, so that this
// takes no look into snapshots.
//
// # Damage
//
// bbolt trusts its file: damaged pages make it panic, read other memory, or recurse until the
// process dies. So nothing is read through it. Transactions read the file themselves, through a
// mapping, with every step checked and bounded: offsets, page numbers, the order of keys, the depth
// of the tree. bbolt sees a page only after all of it was checked, and only to change it. Values
// carry a checksum over their bucket, their key and themselves. Damage is [ErrCorrupt], in bounded
// time; a value that was never stored is not returned. What pages do not have is a checksum: a
// branch page damaged just so can hide keys, which only [Catalog.Check] notices. Should bbolt panic
// all the same, its mapping is left to the end of the process.
//
// # On disk
//
// catalog.db is a bbolt file with these top-level buckets. Keys are raw bytes; in names "/" is the
// byte 0.
//
//	meta      "format" -> decimal number in ASCII, without envelope; "store" -> Meta; "floor" -> Floor; "backups" -> Backups
//	names     name -> Record
//	storages  storage id (16 bytes) -> Storage
//	refs      storage id, name -> empty message: which records use a storage
//	trash     file, relative to the store -> Trash: to be removed
//	patches   storage id -> Patch: to be written again after a crash
//	snapshots name -> Snapshot: states that were kept; the bucket may be missing
//	jobs      storage id -> Job: work that goes on after an interruption; the bucket may be missing
//
// All values but the format number are envelopes: one version byte (1; 2 for a Patch with more
// runs), a protobuf message, and the CRC-32C (Castagnoli, little endian) of the bucket's name, the
// key, the version byte and the message, in this order. Unknown fields are skipped, unknown kinds
// and states refused. A format number, or a version byte, that is greater than the known one is
// [ErrFuture]. The messages, in proto3; times are nanoseconds since 1970 UTC, absent when unknown:
//
//	message Meta {
//	  bytes    store   = 1;  // 16 bytes
//	  fixed64  created = 2;
//	  uint64   snapshots = 3;  // number of the last one that was made
//	  bytes    lineage = 4;  // 16 bytes; absent before the store was restored or salvaged
//	  Backup   backup  = 5;  // of a backup only
//	}
//	message Backup {
//	  bytes   id      = 1;  // 16 bytes
//	  uint64  seq     = 2;
//	  fixed64 created = 3;
//	  string  from    = 4;
//	}
//	message Floor {
//	  uint64 changes = 1;
//	  uint32 gen     = 2;
//	}
//	message Backups {
//	  repeated bytes id = 1;  // 16 bytes each
//	}
//	message Record {
//	  uint32          kind     = 1;  // 0 tensor, 1 blob, 2 lazy
//	  bytes           storage  = 2;  // 16 bytes
//	  string          dtype    = 3;  // "float32", as dtype.Type prints
//	  repeated sint64 shape    = 4 [packed = true];
//	  repeated sint64 strides  = 5 [packed = true];  // in elements
//	  uint64          offset   = 6;  // in elements
//	  repeated string dims     = 7;
//	  repeated Attr   attrs    = 8;  // in order of their names
//	  uint64          version  = 9;
//	  string          parent   = 10;
//	  fixed64         created  = 11;
//	  fixed64         modified = 12;
//	  Value           blob     = 13;
//	  Formula         formula  = 14;
//	}
//	message Formula {
//	  string          text   = 1;
//	  repeated Input  inputs = 2;
//	}
//	message Input {
//	  string name    = 1;
//	  uint64 version = 2;
//	  bytes  storage = 3;  // 16 bytes; absent for lazy names
//	  uint64 created = 4;  // when the record was made
//	}
//	message Attr {
//	  string name  = 1;
//	  Value  value = 2;
//	}
//	message Value {
//	  oneof kind {
//	    string text  = 1;
//	    sint64 int   = 2;
//	    double float = 3;
//	    bool   bool  = 4;
//	    bytes  bytes = 5;
//	    string json  = 6;
//	  }
//	}
//	message Storage {
//	  uint32   gen           = 1;
//	  bool     adopted       = 2;
//	  string   path          = 3;  // adopted only
//	  uint64   header_bytes  = 4;
//	  uint64   payload_bytes = 5;
//	  bool     sparse        = 6;
//	  uint32   state         = 7;  // 0 clean, 1 dirty, 2 patching, 3 quarantined
//	  string   writer        = 8;
//	  Identity identity      = 9;  // adopted only
//	  uint64   refs          = 10;
//	  uint64   changes       = 11;
//	  fixed64  created       = 12;
//	  uint32   header_sum    = 13;
//	  repeated Span spans    = 14;
//	  Seal     seal          = 15;
//	  uint64   born          = 16;  // number of the last snapshot before the file
//	  uint32   next_gen      = 17;
//	  string   boot          = 18;
//	  repeated Writer writers = 19;
//	  uint64   written       = 20;  // absent unless it is more than payload_bytes
//	  uint32   header_was    = 21;
//	}
//	message Seal {
//	  uint64 block_bytes   = 1;
//	  uint64 payload_bytes = 2;
//	  bytes  root          = 3;  // 16 bytes
//	  bytes  sums          = 4;  // 8 bytes each, little endian
//	  uint64 file          = 5;
//	}
//	message Writer {
//	  sfixed64 key    = 1;
//	  string   who    = 2;
//	  string   part   = 3;
//	  fixed64  since  = 4;
//	  uint64   first  = 5;
//	  uint64   end    = 6;
//	  uint64   item   = 7;
//	  repeated sint64 shape   = 8 [packed = true];
//	  repeated sint64 strides = 9 [packed = true];
//	  uint64   offset = 10;
//	}
//	message Job {  // the key is the id of the first storage that it makes
//	  string         name         = 1;   // of the first tensor that it makes
//	  Record         record       = 2;
//	  bool           column_major = 3;
//	  bool           sparse       = 4;
//	  bool           replace      = 5;
//	  bool           seal         = 6;
//	  uint32         kind         = 7;   // 0 import, 1 copy, 2 eval
//	  uint32         state        = 8;   // 0 running, 1 failed, 2 cancelled
//	  string         err          = 9;
//	  string         writer       = 10;
//	  string         boot         = 11;
//	  fixed64        created      = 12;
//	  fixed64        updated      = 13;
//	  uint64         total        = 14;  // bytes
//	  uint64         done         = 15;  // bytes from the first on
//	  uint32         sums_check   = 16;
//	  JobFile        from         = 17;  // import only
//	  string         text         = 18;
//	  string         group        = 19;
//	  repeated JobVar vars        = 20;
//	  string         as           = 21;  // dtype
//	  repeated Input inputs       = 22;
//	  repeated JobRecord more     = 23;
//	  JobCheckpoint  checkpoint   = 24;
//	}
//	message JobRecord {
//	  string name   = 1;
//	  Record record = 2;
//	}
//	message JobCheckpoint {
//	  uint64 plan        = 1;
//	  uint64 pass        = 2;
//	  uint64 done        = 3;
//	  uint64 of          = 4;
//	  uint64 grain       = 5;
//	  uint32 state_file  = 6;  // 1 or 2, 0 for none
//	  uint64 state_bytes = 7;
//	  uint32 state_check = 8;
//	}
//	message JobFile {
//	  string   path       = 1;
//	  uint64   offset     = 2;
//	  bool     big_endian = 3;
//	  Identity identity   = 4;
//	}
//	message JobVar {
//	  string name  = 1;
//	  string dtype = 2;
//	  bytes  value = 3;  // one element, little endian
//	}
//	message Span {
//	  uint64 first   = 1;
//	  uint64 end     = 2;
//	  uint64 changes = 3;
//	}
//	message Identity {
//	  sfixed64 size     = 1;
//	  sfixed64 mtime_ns = 2;
//	  fixed64  inode    = 3;
//	  fixed64  dev      = 4;
//	}
//	message Trash {
//	  fixed64 when = 1;
//	}
//	message Patch {
//	  uint64 offset = 1;  // in bytes of the payload
//	  bytes  data   = 2;
//	  repeated Patch more = 3;  // further runs, behind the first and in order, without any of their own
//	}
//	message Snapshot {
//	  bytes   id      = 1;  // 16 bytes
//	  uint64  seq     = 2;
//	  fixed64 created = 3;
//	  string  note    = 4;
//	  uint64  bytes   = 5;
//	  uint32  sum     = 6;  // CRC-32C of the file
//	}
package catalog
