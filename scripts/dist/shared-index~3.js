import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  ARTIFACT_BYTES,
  COMMENT_BYTES,
  GitHubError,
  PAST_RUNS,
  acceptedBy,
  annotate,
  apiOf,
  judgedBy,
  renderComment
} from "./shared-endpoints.js";
import {
  readInputs
} from "./shared-inputs.js";
import {
  compare
} from "./shared-compare.js";
import {
  environmentWarnings
} from "./shared-environment.js";
import {
  branchBeside,
  scheduleBlock
} from "./shared-uniformInt.js";
import {
  censusSchema,
  sampleLineSchema,
  sha256
} from "./shared-work-directory.js";
import {
  openStore
} from "./shared-git-store.js";
import {
  DEFAULT_FILES,
  _enum,
  array,
  boolean,
  describeLayout,
  int,
  iso_exports,
  literal,
  number,
  object,
  parseConfig,
  record,
  string,
  unknown,
  zeroConfig
} from "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import {
  REFERENCE,
  afterPilot,
  buildPlan,
  cellsOf,
  planId,
  suitesOf
} from "./shared-plan.js";
import {
  configEdits
} from "./shared-replay.js";
import {
  assertNever
} from "./shared-model.js";
import {
  __commonJS,
  __require,
  __toESM
} from "./shared-runtime.js";

// node_modules/pend/index.js
var require_pend = __commonJS({
  "node_modules/pend/index.js"(exports, module) {
    module.exports = Pend;
    function Pend() {
      this.pending = 0;
      this.max = Infinity;
      this.listeners = [];
      this.waiting = [];
      this.error = null;
    }
    Pend.prototype.go = function(fn) {
      if (this.pending < this.max) {
        pendGo(this, fn);
      } else {
        this.waiting.push(fn);
      }
    };
    Pend.prototype.wait = function(cb) {
      if (this.pending === 0) {
        cb(this.error);
      } else {
        this.listeners.push(cb);
      }
    };
    Pend.prototype.hold = function() {
      return pendHold(this);
    };
    function pendHold(self) {
      self.pending += 1;
      var called = false;
      return onCb;
      function onCb(err) {
        if (called) throw new Error("callback called twice");
        called = true;
        self.error = self.error || err;
        self.pending -= 1;
        if (self.waiting.length > 0 && self.pending < self.max) {
          pendGo(self, self.waiting.shift());
        } else if (self.pending === 0) {
          var listeners = self.listeners;
          self.listeners = [];
          listeners.forEach(cbListener);
        }
      }
      function cbListener(listener) {
        listener(self.error);
      }
    }
    function pendGo(self, fn) {
      fn(pendHold(self));
    }
  }
});

// node_modules/yauzl/fd-slicer.js
var require_fd_slicer = __commonJS({
  "node_modules/yauzl/fd-slicer.js"(exports) {
    var fs = __require("fs");
    var util = __require("util");
    var stream = __require("stream");
    var Readable = stream.Readable;
    var PassThrough = stream.PassThrough;
    var Pend = require_pend();
    var EventEmitter = __require("events").EventEmitter;
    exports.BufferSlicer = BufferSlicer;
    exports.FdSlicer = FdSlicer;
    util.inherits(FdSlicer, EventEmitter);
    function FdSlicer(fd) {
      EventEmitter.call(this);
      this.fd = fd;
      this.pend = new Pend();
      this.pend.max = 1;
      this.refCount = 0;
    }
    FdSlicer.prototype.read = function(buffer, offset, length, position, callback) {
      var self = this;
      self.pend.go(function(cb) {
        fs.read(self.fd, buffer, offset, length, position, function(err, bytesRead, buffer2) {
          cb();
          callback(err, bytesRead, buffer2);
        });
      });
    };
    FdSlicer.prototype.createReadStream = function(options2) {
      return new ReadStream(this, options2);
    };
    FdSlicer.prototype.ref = function() {
      this.refCount += 1;
    };
    FdSlicer.prototype.unref = function() {
      var self = this;
      self.refCount -= 1;
      if (self.refCount < 0) throw new Error("invalid unref");
      if (self.refCount > 0) return;
      fs.close(self.fd, onCloseDone);
      function onCloseDone(err) {
        if (err) {
          self.emit("error", err);
        } else {
          self.emit("close");
        }
      }
    };
    util.inherits(ReadStream, Readable);
    function ReadStream(context, options2) {
      options2 = options2 || {};
      Readable.call(this, options2);
      this.context = context;
      this.context.ref();
      this.start = options2.start || 0;
      this.endOffset = options2.end;
      this.pos = this.start;
    }
    ReadStream.prototype._read = function(n) {
      var self = this;
      var toRead = Math.min(self._readableState.highWaterMark, n);
      if (self.endOffset != null) {
        toRead = Math.min(toRead, self.endOffset - self.pos);
      }
      if (toRead <= 0) {
        self.push(null);
        this._cleanup();
        return;
      }
      self.context.pend.go(function(cb) {
        var buffer = Buffer.allocUnsafe(toRead);
        fs.read(self.context.fd, buffer, 0, toRead, self.pos, function(err, bytesRead) {
          if (err) {
            self.destroy(err);
          } else if (bytesRead === 0) {
            self.push(null);
            self._cleanup();
          } else {
            self.pos += bytesRead;
            self.push(buffer.slice(0, bytesRead));
          }
          cb();
        });
      });
    };
    ReadStream.prototype._destroy = function(err, cb) {
      this._cleanup();
      cb(err);
    };
    ReadStream.prototype._cleanup = function() {
      if (this.context != null) {
        this.context.unref();
        this.context = null;
      }
    };
    util.inherits(BufferSlicer, EventEmitter);
    function BufferSlicer(buffer) {
      EventEmitter.call(this);
      this.refCount = 0;
      this.buffer = buffer;
    }
    BufferSlicer.prototype.read = function(buffer, offset, length, position, callback) {
      if (!(0 <= offset && offset <= buffer.length)) throw new RangeError("offset outside buffer: 0 <= " + offset + " <= " + buffer.length);
      if (position < 0) throw new RangeError("position is negative: " + position);
      if (offset + length > buffer.length) {
        length = buffer.length - offset;
      }
      if (position + length > this.buffer.length) {
        length = this.buffer.length - position;
      }
      if (length <= 0) {
        setImmediate(function() {
          callback(null, 0);
        });
        return;
      }
      this.buffer.copy(buffer, offset, position, position + length);
      setImmediate(function() {
        callback(null, length);
      });
    };
    BufferSlicer.prototype.createReadStream = function(options2) {
      options2 = options2 || {};
      var readStream = new PassThrough(options2);
      readStream.start = options2.start || 0;
      readStream.endOffset = options2.end;
      readStream.pos = readStream.endOffset || this.buffer.length;
      var entireSlice = this.buffer.slice(readStream.start, readStream.pos);
      var maxChunkSize = 65536;
      var offset = 0;
      while (true) {
        var nextOffset = offset + maxChunkSize;
        if (nextOffset >= entireSlice.length) {
          if (offset < entireSlice.length) {
            readStream.write(entireSlice.slice(offset, entireSlice.length));
          }
          break;
        }
        readStream.write(entireSlice.slice(offset, nextOffset));
        offset = nextOffset;
      }
      readStream.end();
      return readStream;
    };
    BufferSlicer.prototype.ref = function() {
      this.refCount += 1;
    };
    BufferSlicer.prototype.unref = function() {
      this.refCount -= 1;
      if (this.refCount < 0) {
        throw new Error("invalid unref");
      }
    };
  }
});

// node_modules/yauzl/crc32.js
var require_crc32 = __commonJS({
  "node_modules/yauzl/crc32.js"(exports, module) {
    var CRC_TABLE = new Int32Array([
      0,
      1996959894,
      3993919788,
      2567524794,
      124634137,
      1886057615,
      3915621685,
      2657392035,
      249268274,
      2044508324,
      3772115230,
      2547177864,
      162941995,
      2125561021,
      3887607047,
      2428444049,
      498536548,
      1789927666,
      4089016648,
      2227061214,
      450548861,
      1843258603,
      4107580753,
      2211677639,
      325883990,
      1684777152,
      4251122042,
      2321926636,
      335633487,
      1661365465,
      4195302755,
      2366115317,
      997073096,
      1281953886,
      3579855332,
      2724688242,
      1006888145,
      1258607687,
      3524101629,
      2768942443,
      901097722,
      1119000684,
      3686517206,
      2898065728,
      853044451,
      1172266101,
      3705015759,
      2882616665,
      651767980,
      1373503546,
      3369554304,
      3218104598,
      565507253,
      1454621731,
      3485111705,
      3099436303,
      671266974,
      1594198024,
      3322730930,
      2970347812,
      795835527,
      1483230225,
      3244367275,
      3060149565,
      1994146192,
      31158534,
      2563907772,
      4023717930,
      1907459465,
      112637215,
      2680153253,
      3904427059,
      2013776290,
      251722036,
      2517215374,
      3775830040,
      2137656763,
      141376813,
      2439277719,
      3865271297,
      1802195444,
      476864866,
      2238001368,
      4066508878,
      1812370925,
      453092731,
      2181625025,
      4111451223,
      1706088902,
      314042704,
      2344532202,
      4240017532,
      1658658271,
      366619977,
      2362670323,
      4224994405,
      1303535960,
      984961486,
      2747007092,
      3569037538,
      1256170817,
      1037604311,
      2765210733,
      3554079995,
      1131014506,
      879679996,
      2909243462,
      3663771856,
      1141124467,
      855842277,
      2852801631,
      3708648649,
      1342533948,
      654459306,
      3188396048,
      3373015174,
      1466479909,
      544179635,
      3110523913,
      3462522015,
      1591671054,
      702138776,
      2966460450,
      3352799412,
      1504918807,
      783551873,
      3082640443,
      3233442989,
      3988292384,
      2596254646,
      62317068,
      1957810842,
      3939845945,
      2647816111,
      81470997,
      1943803523,
      3814918930,
      2489596804,
      225274430,
      2053790376,
      3826175755,
      2466906013,
      167816743,
      2097651377,
      4027552580,
      2265490386,
      503444072,
      1762050814,
      4150417245,
      2154129355,
      426522225,
      1852507879,
      4275313526,
      2312317920,
      282753626,
      1742555852,
      4189708143,
      2394877945,
      397917763,
      1622183637,
      3604390888,
      2714866558,
      953729732,
      1340076626,
      3518719985,
      2797360999,
      1068828381,
      1219638859,
      3624741850,
      2936675148,
      906185462,
      1090812512,
      3747672003,
      2825379669,
      829329135,
      1181335161,
      3412177804,
      3160834842,
      628085408,
      1382605366,
      3423369109,
      3138078467,
      570562233,
      1426400815,
      3317316542,
      2998733608,
      733239954,
      1555261956,
      3268935591,
      3050360625,
      752459403,
      1541320221,
      2607071920,
      3965973030,
      1969922972,
      40735498,
      2617837225,
      3943577151,
      1913087877,
      83908371,
      2512341634,
      3803740692,
      2075208622,
      213261112,
      2463272603,
      3855990285,
      2094854071,
      198958881,
      2262029012,
      4057260610,
      1759359992,
      534414190,
      2176718541,
      4139329115,
      1873836001,
      414664567,
      2282248934,
      4279200368,
      1711684554,
      285281116,
      2405801727,
      4167216745,
      1634467795,
      376229701,
      2685067896,
      3608007406,
      1308918612,
      956543938,
      2808555105,
      3495958263,
      1231636301,
      1047427035,
      2932959818,
      3654703836,
      1088359270,
      936918e3,
      2847714899,
      3736837829,
      1202900863,
      817233897,
      3183342108,
      3401237130,
      1404277552,
      615818150,
      3134207493,
      3453421203,
      1423857449,
      601450431,
      3009837614,
      3294710456,
      1567103746,
      711928724,
      3020668471,
      3272380065,
      1510334235,
      755167117
    ]);
    function crc322(buf) {
      let crc = -1;
      for (let x of buf) {
        crc = CRC_TABLE[(crc ^ x) & 255] ^ crc >>> 8;
      }
      return (crc ^ -1) >>> 0;
    }
    module.exports = crc322;
  }
});

// node_modules/yauzl/index.js
var require_yauzl = __commonJS({
  "node_modules/yauzl/index.js"(exports) {
    var fs = __require("fs");
    var zlib = __require("zlib");
    var fd_slicer = require_fd_slicer();
    var util = __require("util");
    var EventEmitter = __require("events").EventEmitter;
    var Transform = __require("stream").Transform;
    var PassThrough = __require("stream").PassThrough;
    var Writable = __require("stream").Writable;
    var crc322 = typeof zlib.crc32 === "function" ? zlib.crc32 : require_crc32();
    exports.open = open;
    exports.fromFd = fromFd;
    exports.fromBuffer = fromBuffer;
    exports.fromRandomAccessReader = fromRandomAccessReader;
    exports.openPromise = openPromise;
    exports.fromFdPromise = fromFdPromise;
    exports.fromBufferPromise = fromBufferPromise2;
    exports.fromRandomAccessReaderPromise = fromRandomAccessReaderPromise;
    exports.dosDateTimeToDate = dosDateTimeToDate;
    exports.getFileNameLowLevel = getFileNameLowLevel;
    exports.validateFileName = validateFileName;
    exports.parseExtraFields = parseExtraFields;
    exports.ZipFile = ZipFile;
    exports.Entry = Entry;
    exports.LocalFileHeader = LocalFileHeader;
    exports.RandomAccessReader = RandomAccessReader;
    function openPromise(path, options2) {
      return new Promise((resolve, reject) => {
        open(path, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function fromFdPromise(fd, options2) {
      return new Promise((resolve, reject) => {
        fromFd(fd, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function fromBufferPromise2(buffer, options2) {
      return new Promise((resolve, reject) => {
        fromBuffer(buffer, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function fromRandomAccessReaderPromise(reader, totalSize, options2) {
      return new Promise((resolve, reject) => {
        fromRandomAccessReader(reader, totalSize, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function open(path, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      if (options2.autoClose == null) options2.autoClose = true;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      if (callback == null) callback = defaultCallback;
      fs.open(path, "r", function(err, fd) {
        if (err) return callback(err);
        fromFd(fd, options2, function(err2, zipfile) {
          if (err2) fs.close(fd, defaultCallback);
          callback(err2, zipfile);
        });
      });
    }
    function fromFd(fd, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      if (options2.autoClose == null) options2.autoClose = false;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      if (callback == null) callback = defaultCallback;
      fs.fstat(fd, function(err, stats) {
        if (err) return callback(err);
        var reader = new fd_slicer.FdSlicer(fd);
        fromRandomAccessReader(reader, stats.size, options2, callback);
      });
    }
    function fromBuffer(buffer, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      options2.autoClose = false;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      var reader = new fd_slicer.BufferSlicer(buffer);
      fromRandomAccessReader(reader, buffer.length, options2, callback);
    }
    function fromRandomAccessReader(reader, totalSize, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      if (options2.autoClose == null) options2.autoClose = true;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      var decodeStrings = !!options2.decodeStrings;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      if (callback == null) callback = defaultCallback;
      if (typeof totalSize !== "number") throw new Error("expected totalSize parameter to be a number");
      if (totalSize > Number.MAX_SAFE_INTEGER) {
        throw new Error("zip file too large. only file sizes up to 2^52 are supported due to JavaScript's Number type being an IEEE 754 double.");
      }
      reader.ref();
      var eocdrWithoutCommentSize = 22;
      var zip64EocdlSize = 20;
      var maxCommentSize = 65535;
      var bufferSize = Math.min(zip64EocdlSize + eocdrWithoutCommentSize + maxCommentSize, totalSize);
      var buffer = newBuffer(bufferSize);
      var bufferReadStart = totalSize - buffer.length;
      readAndAssertNoEof(reader, buffer, 0, bufferSize, bufferReadStart, function(err) {
        if (err) return callback(err);
        for (var i = bufferSize - eocdrWithoutCommentSize; i >= 0; i -= 1) {
          if (buffer.readUInt32LE(i) !== 101010256) continue;
          var eocdrBuffer = buffer.subarray(i);
          var diskNumber = eocdrBuffer.readUInt16LE(4);
          var entryCount = eocdrBuffer.readUInt16LE(10);
          var centralDirectoryOffset = eocdrBuffer.readUInt32LE(16);
          var commentLength = eocdrBuffer.readUInt16LE(20);
          var expectedCommentLength = eocdrBuffer.length - eocdrWithoutCommentSize;
          if (commentLength !== expectedCommentLength) {
            return callback(new Error("Invalid comment length. Expected: " + expectedCommentLength + ". Found: " + commentLength + ". Are there extra bytes at the end of the file? Or is the end of central dir signature `PK☺☻` in the comment?"));
          }
          var comment2 = decodeStrings ? decodeBuffer(eocdrBuffer.subarray(22), false) : eocdrBuffer.subarray(22);
          if (i - zip64EocdlSize >= 0 && buffer.readUInt32LE(i - zip64EocdlSize) === 117853008) {
            var zip64EocdlBuffer = buffer.subarray(i - zip64EocdlSize, i - zip64EocdlSize + zip64EocdlSize);
            var zip64EocdrOffset = readUInt64LE(zip64EocdlBuffer, 8);
            var zip64EocdrBuffer = newBuffer(56);
            return readAndAssertNoEof(reader, zip64EocdrBuffer, 0, zip64EocdrBuffer.length, zip64EocdrOffset, function(err2) {
              if (err2) return callback(err2);
              if (zip64EocdrBuffer.readUInt32LE(0) !== 101075792) {
                return callback(new Error("invalid zip64 end of central directory record signature"));
              }
              diskNumber = zip64EocdrBuffer.readUInt32LE(16);
              if (diskNumber !== 0) {
                return callback(new Error("multi-disk zip files are not supported: found disk number: " + diskNumber));
              }
              entryCount = readUInt64LE(zip64EocdrBuffer, 32);
              centralDirectoryOffset = readUInt64LE(zip64EocdrBuffer, 48);
              return callback(null, new ZipFile(reader, centralDirectoryOffset, totalSize, entryCount, comment2, options2.autoClose, options2.lazyEntries, decodeStrings, options2.validateEntrySizes, options2.strictFileNames));
            });
          }
          if (diskNumber !== 0) {
            return callback(new Error("multi-disk zip files are not supported: found disk number: " + diskNumber));
          }
          return callback(null, new ZipFile(reader, centralDirectoryOffset, totalSize, entryCount, comment2, options2.autoClose, options2.lazyEntries, decodeStrings, options2.validateEntrySizes, options2.strictFileNames));
        }
        callback(new Error("End of central directory record signature not found. Either not a zip file, or file is truncated."));
      });
    }
    util.inherits(ZipFile, EventEmitter);
    function ZipFile(reader, centralDirectoryOffset, fileSize, entryCount, comment2, autoClose, lazyEntries, decodeStrings, validateEntrySizes, strictFileNames) {
      var self = this;
      EventEmitter.call(self);
      self.reader = reader;
      self.reader.on("error", function(err) {
        emitError(self, err);
      });
      self.reader.once("close", function() {
        self.emit("close");
      });
      self.readEntryCursor = centralDirectoryOffset;
      self.fileSize = fileSize;
      self.entryCount = entryCount;
      self.comment = comment2;
      self.entriesRead = 0;
      self.autoClose = !!autoClose;
      self.lazyEntries = !!lazyEntries;
      self.decodeStrings = !!decodeStrings;
      self.validateEntrySizes = !!validateEntrySizes;
      self.strictFileNames = !!strictFileNames;
      self.isOpen = true;
      self.emittedError = false;
      self.hasEachEntryBeenCalled = false;
      if (!self.lazyEntries) self._readEntry();
    }
    ZipFile.prototype.close = function() {
      if (!this.isOpen) return;
      this.isOpen = false;
      this.reader.unref();
    };
    function emitErrorAndAutoClose(self, err) {
      if (self.autoClose) self.close();
      emitError(self, err);
    }
    function emitError(self, err) {
      if (self.emittedError) return;
      self.emittedError = true;
      self.emit("error", err);
    }
    ZipFile.prototype.readEntry = function() {
      if (!this.lazyEntries) throw new Error("readEntry() called without lazyEntries:true");
      this._readEntry();
    };
    ZipFile.prototype._readEntry = function() {
      var self = this;
      if (self.entryCount === self.entriesRead) {
        setImmediate(function() {
          if (self.autoClose) self.close();
          if (self.emittedError) return;
          self.emit("end");
        });
        return;
      }
      if (self.emittedError) return;
      var buffer = newBuffer(46);
      readAndAssertNoEof(self.reader, buffer, 0, buffer.length, self.readEntryCursor, function(err) {
        if (err) return emitErrorAndAutoClose(self, err);
        if (self.emittedError) return;
        var entry = new Entry();
        var signature = buffer.readUInt32LE(0);
        if (signature !== 33639248) return emitErrorAndAutoClose(self, new Error("invalid central directory file header signature: 0x" + signature.toString(16)));
        entry.versionMadeBy = buffer.readUInt16LE(4);
        entry.versionNeededToExtract = buffer.readUInt16LE(6);
        entry.generalPurposeBitFlag = buffer.readUInt16LE(8);
        entry.compressionMethod = buffer.readUInt16LE(10);
        entry.lastModFileTime = buffer.readUInt16LE(12);
        entry.lastModFileDate = buffer.readUInt16LE(14);
        entry.crc32 = buffer.readUInt32LE(16);
        entry.compressedSize = buffer.readUInt32LE(20);
        entry.uncompressedSize = buffer.readUInt32LE(24);
        entry.fileNameLength = buffer.readUInt16LE(28);
        entry.extraFieldLength = buffer.readUInt16LE(30);
        entry.fileCommentLength = buffer.readUInt16LE(32);
        entry.internalFileAttributes = buffer.readUInt16LE(36);
        entry.externalFileAttributes = buffer.readUInt32LE(38);
        entry.relativeOffsetOfLocalHeader = buffer.readUInt32LE(42);
        if (entry.generalPurposeBitFlag & 64) return emitErrorAndAutoClose(self, new Error("strong encryption is not supported"));
        self.readEntryCursor += 46;
        buffer = newBuffer(entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength);
        readAndAssertNoEof(self.reader, buffer, 0, buffer.length, self.readEntryCursor, function(err2) {
          if (err2) return emitErrorAndAutoClose(self, err2);
          if (self.emittedError) return;
          entry.fileNameRaw = buffer.subarray(0, entry.fileNameLength);
          var fileCommentStart = entry.fileNameLength + entry.extraFieldLength;
          entry.extraFieldRaw = buffer.subarray(entry.fileNameLength, fileCommentStart);
          entry.fileCommentRaw = buffer.subarray(fileCommentStart, fileCommentStart + entry.fileCommentLength);
          try {
            entry.extraFields = parseExtraFields(entry.extraFieldRaw);
          } catch (err3) {
            return emitErrorAndAutoClose(self, err3);
          }
          if (self.decodeStrings) {
            var isUtf8 = (entry.generalPurposeBitFlag & 2048) !== 0;
            entry.fileComment = decodeBuffer(entry.fileCommentRaw, isUtf8);
            entry.fileName = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, self.strictFileNames);
            var errorMessage = validateFileName(entry.fileName);
            if (errorMessage != null) return emitErrorAndAutoClose(self, new Error(errorMessage));
          } else {
            entry.fileComment = entry.fileCommentRaw;
            entry.fileName = entry.fileNameRaw;
          }
          entry.comment = entry.fileComment;
          self.readEntryCursor += buffer.length;
          self.entriesRead += 1;
          for (var i = 0; i < entry.extraFields.length; i++) {
            var extraField = entry.extraFields[i];
            if (extraField.id !== 1) continue;
            var zip64EiefBuffer = extraField.data;
            var index = 0;
            if (entry.uncompressedSize === 4294967295) {
              if (index + 8 > zip64EiefBuffer.length) {
                return emitErrorAndAutoClose(self, new Error("zip64 extended information extra field does not include uncompressed size"));
              }
              entry.uncompressedSize = readUInt64LE(zip64EiefBuffer, index);
              index += 8;
            }
            if (entry.compressedSize === 4294967295) {
              if (index + 8 > zip64EiefBuffer.length) {
                return emitErrorAndAutoClose(self, new Error("zip64 extended information extra field does not include compressed size"));
              }
              entry.compressedSize = readUInt64LE(zip64EiefBuffer, index);
              index += 8;
            }
            if (entry.relativeOffsetOfLocalHeader === 4294967295) {
              if (index + 8 > zip64EiefBuffer.length) {
                return emitErrorAndAutoClose(self, new Error("zip64 extended information extra field does not include relative header offset"));
              }
              entry.relativeOffsetOfLocalHeader = readUInt64LE(zip64EiefBuffer, index);
              index += 8;
            }
            break;
          }
          if (self.validateEntrySizes && entry.compressionMethod === 0) {
            var expectedCompressedSize = entry.uncompressedSize;
            if (entry.isEncrypted()) {
              expectedCompressedSize += 12;
            }
            if (entry.compressedSize !== expectedCompressedSize) {
              var msg = "compressed/uncompressed size mismatch for stored file: " + entry.compressedSize + " != " + entry.uncompressedSize;
              return emitErrorAndAutoClose(self, new Error(msg));
            }
          }
          self.emit("entry", entry);
          if (!self.lazyEntries) self._readEntry();
        });
      });
    };
    ZipFile.prototype.eachEntry = function() {
      const self = this;
      if (!self.lazyEntries) throw new Error("eachEntry() requires lazyEntries: true");
      if (self.hasEachEntryBeenCalled) throw new Error("eachEntry() must only be called once per ZipFile");
      self.hasEachEntryBeenCalled = true;
      let pendingResolveReject = null;
      self.on("entry", onEntry);
      self.on("end", onEnd);
      self.on("error", onError);
      function cleanup() {
        self.removeListener("entry", onEntry);
        self.removeListener("end", onEnd);
        self.removeListener("error", onError);
        if (self.autoClose) self.close();
      }
      function onEntry(entry) {
        let { resolve } = pendingResolveReject;
        pendingResolveReject = null;
        resolve({ value: entry });
      }
      function onEnd() {
        let { resolve } = pendingResolveReject;
        pendingResolveReject = null;
        cleanup();
        resolve({ done: true });
      }
      function onError(err) {
        let { reject } = pendingResolveReject;
        pendingResolveReject = null;
        cleanup();
        reject(err);
      }
      return {
        [Symbol.asyncIterator]() {
          return this;
        },
        next() {
          const promise = new Promise((resolve, reject) => {
            if (pendingResolveReject != null) throw new Error("next() called before previous Promise was resolved.");
            pendingResolveReject = { resolve, reject };
          });
          self.readEntry();
          return promise;
        },
        return(value) {
          cleanup();
          return Promise.resolve({ done: true, value });
        },
        throw(value) {
          cleanup();
          return Promise.reject(value);
        }
      };
    };
    ZipFile.prototype.openReadStream = function(entry, options2, callback) {
      var self = this;
      var relativeStart = 0;
      var relativeEnd = entry.compressedSize;
      if (callback == null) {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) {
        options2 = {};
      } else {
        if (options2.decodeFileData === false) {
          if (options2.decrypt != null) {
            throw new Error("cannot use options.decrypt when options.decodeFileData === false");
          }
          if (options2.decompress != null) {
            throw new Error("cannot use options.decompress when options.decodeFileData === false");
          }
        } else {
          if (options2.decrypt != null) {
            if (!entry.isEncrypted()) {
              throw new Error("options.decrypt can only be specified for encrypted entries. See also option decodeFileData.");
            }
            if (options2.decrypt !== false) throw new Error("invalid options.decrypt value: " + options2.decrypt);
            if (entry.isCompressed()) {
              if (options2.decompress !== false) throw new Error("entry is encrypted and compressed, and options.decompress !== false. See also option decodeFileData.");
            }
          }
          if (options2.decompress != null) {
            if (!entry.isCompressed()) {
              throw new Error("options.decompress can only be specified for compressed entries. See also option decodeFileData.");
            }
            if (!(options2.decompress === false || options2.decompress === true)) {
              throw new Error("invalid options.decompress value: " + options2.decompress);
            }
            decompress = options2.decompress;
          }
        }
        if (options2.start != null) {
          relativeStart = options2.start;
          if (relativeStart < 0) throw new Error("options.start < 0");
          if (relativeStart > entry.compressedSize) throw new Error("options.start > entry.compressedSize");
        }
        if (options2.end != null) {
          relativeEnd = options2.end;
          if (relativeEnd < 0) throw new Error("options.end < 0");
          if (relativeEnd > entry.compressedSize) throw new Error("options.end > entry.compressedSize");
          if (relativeEnd < relativeStart) throw new Error("options.end < options.start");
        }
      }
      var rawMode = options2.decodeFileData === false || // Explicitly requested raw.
      (entry.compressionMethod === 0 || // Naturally without compression.
      entry.compressionMethod === 8 && options2.decompress === false) && (!entry.isEncrypted() || // Naturally without encryption.
      options2.decrypt === false);
      if (options2.start != null || options2.end != null) {
        if (!rawMode) throw new Error("start/end range require options.decodeFileData === false for non-trivial encoded entries.");
      }
      if (!self.isOpen) return callback(new Error("closed"));
      if (entry.isEncrypted() && !rawMode) {
        if (options2.decrypt !== false) return callback(new Error("entry is encrypted, and options.decodeFileData !== false"));
      }
      var decompress;
      if (rawMode) {
        decompress = false;
      } else if (entry.compressionMethod === 8) {
        decompress = options2.decodeFileData !== true;
      } else {
        return callback(new Error("unsupported compression method: " + entry.compressionMethod));
      }
      self.readLocalFileHeader(entry, { minimal: true }, function(err, localFileHeader) {
        if (err) return callback(err);
        self.openReadStreamLowLevel(
          localFileHeader.fileDataStart,
          entry.compressedSize,
          relativeStart,
          relativeEnd,
          decompress,
          entry.uncompressedSize,
          callback
        );
      });
    };
    ZipFile.prototype.openReadStreamLowLevel = function(fileDataStart, compressedSize, relativeStart, relativeEnd, decompress, uncompressedSize, callback) {
      var self = this;
      var fileDataEnd = fileDataStart + compressedSize;
      var readStream = self.reader.createReadStream({
        start: fileDataStart + relativeStart,
        end: fileDataStart + relativeEnd
      });
      var endpointStream = readStream;
      if (decompress) {
        var destroyed = false;
        var inflateFilter = zlib.createInflateRaw();
        readStream.on("error", function(err) {
          setImmediate(function() {
            if (!destroyed) inflateFilter.emit("error", err);
          });
        });
        readStream.pipe(inflateFilter);
        if (self.validateEntrySizes) {
          endpointStream = new AssertByteCountStream(uncompressedSize);
          inflateFilter.on("error", function(err) {
            setImmediate(function() {
              if (!destroyed) endpointStream.emit("error", err);
            });
          });
          inflateFilter.pipe(endpointStream);
        } else {
          endpointStream = inflateFilter;
        }
        installDestroyFn(endpointStream, function() {
          destroyed = true;
          if (inflateFilter !== endpointStream) inflateFilter.unpipe(endpointStream);
          readStream.unpipe(inflateFilter);
          readStream.destroy();
        });
      }
      callback(null, endpointStream);
    };
    ZipFile.prototype.readLocalFileHeader = function(entry, options2, callback) {
      var self = this;
      if (callback == null) {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      self.reader.ref();
      var buffer = newBuffer(30);
      readAndAssertNoEof(self.reader, buffer, 0, buffer.length, entry.relativeOffsetOfLocalHeader, function(err) {
        try {
          if (err) return callback(err);
          var signature = buffer.readUInt32LE(0);
          if (signature !== 67324752) {
            return callback(new Error("invalid local file header signature: 0x" + signature.toString(16)));
          }
          var fileNameLength = buffer.readUInt16LE(26);
          var extraFieldLength = buffer.readUInt16LE(28);
          var fileDataStart = entry.relativeOffsetOfLocalHeader + 30 + fileNameLength + extraFieldLength;
          if (fileDataStart + entry.compressedSize > self.fileSize) {
            return callback(new Error("file data overflows file bounds: " + fileDataStart + " + " + entry.compressedSize + " > " + self.fileSize));
          }
          if (options2.minimal) {
            return callback(null, { fileDataStart });
          }
          var localFileHeader = new LocalFileHeader();
          localFileHeader.fileDataStart = fileDataStart;
          localFileHeader.versionNeededToExtract = buffer.readUInt16LE(4);
          localFileHeader.generalPurposeBitFlag = buffer.readUInt16LE(6);
          localFileHeader.compressionMethod = buffer.readUInt16LE(8);
          localFileHeader.lastModFileTime = buffer.readUInt16LE(10);
          localFileHeader.lastModFileDate = buffer.readUInt16LE(12);
          localFileHeader.crc32 = buffer.readUInt32LE(14);
          localFileHeader.compressedSize = buffer.readUInt32LE(18);
          localFileHeader.uncompressedSize = buffer.readUInt32LE(22);
          localFileHeader.fileNameLength = fileNameLength;
          localFileHeader.extraFieldLength = extraFieldLength;
          buffer = newBuffer(fileNameLength + extraFieldLength);
          self.reader.ref();
          readAndAssertNoEof(self.reader, buffer, 0, buffer.length, entry.relativeOffsetOfLocalHeader + 30, function(err2) {
            try {
              if (err2) return callback(err2);
              localFileHeader.fileName = buffer.subarray(0, fileNameLength);
              localFileHeader.extraField = buffer.subarray(fileNameLength);
              return callback(null, localFileHeader);
            } finally {
              self.reader.unref();
            }
          });
        } finally {
          self.reader.unref();
        }
      });
    };
    ZipFile.prototype.openReadStreamPromise = function(entry, options2) {
      return new Promise((resolve, reject) => {
        this.openReadStream(entry, options2, function(err, readStream) {
          if (err) return reject(err);
          resolve(readStream);
        });
      });
    };
    ZipFile.prototype.openReadStreamLowLevelPromise = function(fileDataStart, compressedSize, relativeStart, relativeEnd, decompress, uncompressedSize) {
      return new Promise((resolve, reject) => {
        this.openReadStream(fileDataStart, compressedSize, relativeStart, relativeEnd, decompress, uncompressedSize, function(err, readStream) {
          if (err) return reject(err);
          resolve(readStream);
        });
      });
    };
    ZipFile.prototype.readLocalFileHeaderPromise = function(entry, options2) {
      return new Promise((resolve, reject) => {
        this.readLocalFileHeader(entry, options2, function(err, localFileHeader) {
          if (err) return reject(err);
          resolve(localFileHeader);
        });
      });
    };
    function Entry() {
    }
    Entry.prototype.getLastModDate = function(options2) {
      if (options2 == null) options2 = {};
      if (!options2.forceDosFormat) {
        for (var i = 0; i < this.extraFields.length; i++) {
          var extraField = this.extraFields[i];
          if (extraField.id === 21589) {
            var data = extraField.data;
            if (data.length < 5) continue;
            var flags = data[0];
            var HAS_MTIME = 1;
            if (!(flags & HAS_MTIME)) continue;
            var posixTimestamp = data.readInt32LE(1);
            return new Date(posixTimestamp * 1e3);
          } else if (extraField.id === 10) {
            var data = extraField.data;
            if (data.length !== 32) continue;
            if (data.readUInt16LE(4) !== 1) continue;
            if (data.readUInt16LE(6) !== 24) continue;
            var hundredNanoSecondsSince1601 = data.readUInt32LE(8) + 4294967296 * data.readInt32LE(12);
            var millisecondsSince1970 = hundredNanoSecondsSince1601 / 1e4 - 116444736e5;
            return new Date(millisecondsSince1970);
          }
        }
      }
      return dosDateTimeToDate(this.lastModFileDate, this.lastModFileTime, options2.timezone);
    };
    Entry.prototype.canDecodeFileData = function() {
      return !this.isEncrypted() && (this.compressionMethod === 0 || this.compressionMethod === 8);
    };
    Entry.prototype.isEncrypted = function() {
      return (this.generalPurposeBitFlag & 1) !== 0;
    };
    Entry.prototype.isCompressed = function() {
      return this.compressionMethod === 8;
    };
    function LocalFileHeader() {
    }
    function dosDateTimeToDate(date, time, timezone) {
      var day = date & 31;
      var month = (date >> 5 & 15) - 1;
      var year = (date >> 9 & 127) + 1980;
      var millisecond = 0;
      var second = (time & 31) * 2;
      var minute = time >> 5 & 63;
      var hour = time >> 11 & 31;
      if (timezone == null || timezone === "local") {
        return new Date(year, month, day, hour, minute, second, millisecond);
      } else if (timezone === "UTC") {
        return new Date(Date.UTC(year, month, day, hour, minute, second, millisecond));
      } else {
        throw new Error("unrecognized options.timezone: " + options.timezone);
      }
    }
    function getFileNameLowLevel(generalPurposeBitFlag, fileNameBuffer, extraFields, strictFileNames) {
      var fileName = null;
      for (var i = 0; i < extraFields.length; i++) {
        var extraField = extraFields[i];
        if (extraField.id === 28789) {
          if (extraField.data.length < 6) {
            continue;
          }
          if (extraField.data.readUInt8(0) !== 1) {
            continue;
          }
          var oldNameCrc32 = extraField.data.readUInt32LE(1);
          if (crc322(fileNameBuffer) !== oldNameCrc32) {
            continue;
          }
          fileName = decodeBuffer(extraField.data.subarray(5), true);
          break;
        }
      }
      if (fileName == null) {
        var isUtf8 = (generalPurposeBitFlag & 2048) !== 0;
        fileName = decodeBuffer(fileNameBuffer, isUtf8);
      }
      if (!strictFileNames) {
        fileName = fileName.replace(/\\/g, "/");
      }
      return fileName;
    }
    function validateFileName(fileName) {
      if (fileName.indexOf("\\") !== -1) {
        return "invalid characters in fileName: " + fileName;
      }
      if (/^[a-zA-Z]:/.test(fileName) || /^\//.test(fileName)) {
        return "absolute path: " + fileName;
      }
      if (fileName.split("/").indexOf("..") !== -1) {
        return "invalid relative path: " + fileName;
      }
      return null;
    }
    function parseExtraFields(extraFieldBuffer) {
      var extraFields = [];
      var i = 0;
      while (i < extraFieldBuffer.length - 3) {
        var headerId = extraFieldBuffer.readUInt16LE(i + 0);
        var dataSize = extraFieldBuffer.readUInt16LE(i + 2);
        var dataStart = i + 4;
        var dataEnd = dataStart + dataSize;
        if (dataEnd > extraFieldBuffer.length) throw new Error("extra field length exceeds extra field buffer size");
        var dataBuffer = extraFieldBuffer.subarray(dataStart, dataEnd);
        extraFields.push({
          id: headerId,
          data: dataBuffer
        });
        i = dataEnd;
      }
      return extraFields;
    }
    function readAndAssertNoEof(reader, buffer, offset, length, position, callback) {
      if (length === 0) {
        return setImmediate(function() {
          callback(null, newBuffer(0));
        });
      }
      reader.read(buffer, offset, length, position, function(err, bytesRead) {
        if (err) return callback(err);
        if (bytesRead < length) {
          return callback(new Error("unexpected EOF"));
        }
        callback();
      });
    }
    util.inherits(AssertByteCountStream, Transform);
    function AssertByteCountStream(byteCount) {
      Transform.call(this);
      this.actualByteCount = 0;
      this.expectedByteCount = byteCount;
    }
    AssertByteCountStream.prototype._transform = function(chunk, encoding, cb) {
      this.actualByteCount += chunk.length;
      if (this.actualByteCount > this.expectedByteCount) {
        var msg = "too many bytes in the stream. expected " + this.expectedByteCount + ". got at least " + this.actualByteCount;
        return cb(new Error(msg));
      }
      cb(null, chunk);
    };
    AssertByteCountStream.prototype._flush = function(cb) {
      if (this.actualByteCount < this.expectedByteCount) {
        var msg = "not enough bytes in the stream. expected " + this.expectedByteCount + ". got only " + this.actualByteCount;
        return cb(new Error(msg));
      }
      cb();
    };
    util.inherits(RandomAccessReader, EventEmitter);
    function RandomAccessReader() {
      EventEmitter.call(this);
      this.refCount = 0;
    }
    RandomAccessReader.prototype.ref = function() {
      this.refCount += 1;
    };
    RandomAccessReader.prototype.unref = function() {
      var self = this;
      self.refCount -= 1;
      if (self.refCount > 0) return;
      if (self.refCount < 0) throw new Error("invalid unref");
      self.close(onCloseDone);
      function onCloseDone(err) {
        if (err) return self.emit("error", err);
        self.emit("close");
      }
    };
    RandomAccessReader.prototype.createReadStream = function(options2) {
      if (options2 == null) options2 = {};
      var start = options2.start;
      var end = options2.end;
      if (start === end) {
        var emptyStream = new PassThrough();
        setImmediate(function() {
          emptyStream.end();
        });
        return emptyStream;
      }
      var stream = this._readStreamForRange(start, end);
      var destroyed = false;
      var refUnrefFilter = new RefUnrefFilter(this);
      stream.on("error", function(err) {
        setImmediate(function() {
          if (!destroyed) refUnrefFilter.emit("error", err);
        });
      });
      installDestroyFn(refUnrefFilter, function() {
        stream.unpipe(refUnrefFilter);
        refUnrefFilter.unref();
        stream.destroy();
      });
      var byteCounter = new AssertByteCountStream(end - start);
      refUnrefFilter.on("error", function(err) {
        setImmediate(function() {
          if (!destroyed) byteCounter.emit("error", err);
        });
      });
      installDestroyFn(byteCounter, function() {
        destroyed = true;
        refUnrefFilter.unpipe(byteCounter);
        refUnrefFilter.destroy();
      });
      return stream.pipe(refUnrefFilter).pipe(byteCounter);
    };
    RandomAccessReader.prototype._readStreamForRange = function(start, end) {
      throw new Error("not implemented");
    };
    RandomAccessReader.prototype.read = function(buffer, offset, length, position, callback) {
      var readStream = this.createReadStream({ start: position, end: position + length });
      var writeStream = new Writable();
      var written = 0;
      writeStream._write = function(chunk, encoding, cb) {
        chunk.copy(buffer, offset + written, 0, chunk.length);
        written += chunk.length;
        cb();
      };
      writeStream.on("finish", callback);
      readStream.on("error", function(error) {
        callback(error);
      });
      readStream.pipe(writeStream);
    };
    RandomAccessReader.prototype.close = function(callback) {
      setImmediate(callback);
    };
    util.inherits(RefUnrefFilter, PassThrough);
    function RefUnrefFilter(context) {
      PassThrough.call(this);
      this.context = context;
      this.context.ref();
      this.unreffedYet = false;
    }
    RefUnrefFilter.prototype._flush = function(cb) {
      this.unref();
      cb();
    };
    RefUnrefFilter.prototype.unref = function(cb) {
      if (this.unreffedYet) return;
      this.unreffedYet = true;
      this.context.unref();
    };
    var cp437 = "\0☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼ !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~⌂ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ";
    function decodeBuffer(buffer, isUtf8) {
      if (isUtf8) {
        return buffer.toString("utf8");
      } else {
        var result = "";
        for (var i = 0; i < buffer.length; i++) {
          result += cp437[buffer[i]];
        }
        return result;
      }
    }
    function readUInt64LE(buffer, offset) {
      var lower32 = buffer.readUInt32LE(offset);
      var upper32 = buffer.readUInt32LE(offset + 4);
      return upper32 * 4294967296 + lower32;
    }
    var newBuffer;
    if (typeof Buffer.allocUnsafe === "function") {
      newBuffer = function(len) {
        return Buffer.allocUnsafe(len);
      };
    } else {
      newBuffer = function(len) {
        return new Buffer(len);
      };
    }
    function installDestroyFn(stream, fn) {
      if (typeof stream.destroy === "function") {
        stream._destroy = function(err, cb) {
          fn();
          if (cb != null) cb(err);
        };
      } else {
        stream.destroy = fn;
      }
    }
    function defaultCallback(err) {
      if (err) throw err;
    }
  }
});

// scripts/src/phases/github-comment.ts
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

// scripts/src/github/artifact.ts
var import_yauzl = __toESM(require_yauzl(), 1);
import { crc32 } from "node:zlib";
var MIB = 1024 * 1024;
var WANTED = {
  "plan.json": 8 * MIB,
  "census.json": 4 * MIB,
  "environment.json": 1 * MIB,
  "samples.ndjson": 64 * MIB
};
var MOST_ENTRIES = 1e4;
var MOST_SHRUNK = 200;
var TOO_SMALL_FOR_A_BOMB = 64 * 1024;
async function readArtifact(zip) {
  if (zip.byteLength > ARTIFACT_BYTES) throw refuse(`it is larger than ${ARTIFACT_BYTES / MIB} MiB`);
  try {
    const options2 = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true };
    const archive = await (0, import_yauzl.fromBufferPromise)(Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength), options2);
    const entries = await wantedEntries(archive);
    const text = async (name2) => {
      const entry = entries.get(name2);
      return entry === void 0 ? null : decode(name2, await contentOf(archive, name2, entry));
    };
    const plan = await text("plan.json");
    if (plan === null) throw refuse("it has no plan.json at its top");
    return {
      plan,
      census: await text("census.json"),
      environment: await text("environment.json"),
      samples: await text("samples.ndjson")
    };
  } catch (error) {
    if (error instanceof InputError) throw error;
    const reason = error.message.replaceAll(/[^\w .,:()-]+/g, " ").slice(0, 200);
    throw refuse(`it is not a sound zip file (${reason})`);
  }
}
function refuse(what) {
  return new InputError(`the artifact cannot be used: ${what}`);
}
async function wantedEntries(archive) {
  if (archive.comment.length > 0) throw refuse("it has a comment, which no upload of a run has");
  if (archive.entryCount > MOST_ENTRIES) throw refuse(`it has more than ${MOST_ENTRIES} entries`);
  const wanted = /* @__PURE__ */ new Map();
  const seen = /* @__PURE__ */ new Set();
  for await (const entry of archive.eachEntry()) {
    const name2 = Buffer.from(entry.fileName).toString("latin1");
    checkEntry(entry, name2);
    const folded = name2.toLowerCase();
    if (!Object.hasOwn(WANTED, folded)) continue;
    if (seen.has(folded)) throw refuse(`it has ${folded} twice`);
    seen.add(folded);
    if (name2 !== folded) continue;
    checkSize(name2, entry);
    wanted.set(name2, entry);
  }
  return wanted;
}
var TYPE_BITS = 61440;
var HARMLESS_TYPES = [0, 32768, 16384];
function checkEntry(entry, name2) {
  if ((entry.generalPurposeBitFlag & 1) !== 0) throw refuse("an entry is encrypted");
  const type = entry.externalFileAttributes >>> 16 & TYPE_BITS;
  if (!HARMLESS_TYPES.includes(type)) throw refuse("an entry is a link or a device");
  const steps = name2.split("/");
  const strange = name2 === "" || /^[A-Za-z]:|[\\\u0000-\u001f]/.test(name2) || name2.startsWith("/");
  if (strange || steps.includes("..")) throw refuse("the path of an entry leads out of the archive, or is none");
}
function checkSize(name2, { compressedSize, uncompressedSize }) {
  if (uncompressedSize > WANTED[name2]) throw refuse(`its ${name2} is larger than ${WANTED[name2] / MIB} MiB`);
  if (uncompressedSize > TOO_SMALL_FOR_A_BOMB && uncompressedSize > MOST_SHRUNK * compressedSize) {
    throw refuse(`its ${name2} is ${MOST_SHRUNK} times as large as it is packed: a bomb`);
  }
}
async function contentOf(archive, name2, entry) {
  const chunks = [];
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk);
  const content = Buffer.concat(chunks);
  if (content.length !== entry.uncompressedSize) throw refuse(`its ${name2} is not as long as the archive says`);
  if (crc32(content) !== entry.crc32) throw refuse(`its ${name2} does not have the checksum that the archive says`);
  return content;
}
function decode(name2, content) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw refuse(`its ${name2} is not text in UTF-8`);
  }
}

// scripts/src/github/comment.ts
async function putComment(api, sticky) {
  if (sticky.policy === "never") return "unwanted";
  const author = await api.viewer();
  for (let tries = 3; ; tries--) {
    const old = await findComment(api, sticky.pull, sticky.key, author);
    if (old === null && !wantsNew(sticky.policy, sticky.now.verdict)) return "unwanted";
    const body = bodyOf(sticky, old);
    try {
      if (old === null) {
        await api.createComment(sticky.pull, body);
        return "created";
      }
      if (await api.updateComment(old.id, body) !== null) return "updated";
      if (tries === 1) throw new GitHubError(`comment ${old.id} of #${sticky.pull} comes and goes`, true);
    } catch (error) {
      if (!(error instanceof GitHubError && error.passing && tries > 1)) throw error;
    }
  }
}
function wantsNew(policy, verdict) {
  switch (policy) {
    case "always":
      return true;
    case "on-change":
      return verdict !== "pass";
    case "on-regression":
      return verdict === "regression" || verdict === "error";
    default:
      return assertNever(policy);
  }
}
async function findComment(api, pull, key, author) {
  for await (const comment2 of api.comments(pull)) {
    if (comment2.author === author && comment2.body.startsWith(opening(key))) return comment2;
  }
  return null;
}
function bodyOf({ key, now, render }, old) {
  const past = old === null ? [] : pastRuns(old.body, key);
  const runs = [...past.filter(({ run }) => run !== now.run), now].slice(-PAST_RUNS);
  const head = marker(key, runs);
  return head + render(runs, COMMENT_BYTES - Buffer.byteLength(head));
}
var opening = (key) => `<!-- perf-gate comment=${key} `;
function marker(key, runs) {
  const entries = runs.map(
    ({ commit, verdict, accepted, run }) => `${commit}:${verdict}${accepted ? "+accepted" : ""}:${run}`
  );
  return `${opening(key)}runs=${entries.join(",")} -->
`;
}
var ENTRY = /^([0-9a-f]{40}):(pass|regression|inconclusive|error)(\+accepted)?:([1-9]\d{0,14})$/;
function pastRuns(body, key) {
  const [line = ""] = body.split(/\r?\n/, 1);
  if (!line.startsWith(opening(key)) || !line.endsWith(" -->")) return [];
  const list = line.slice(opening(key).length, -" -->".length);
  if (!list.startsWith("runs=")) return [];
  return list.slice("runs=".length).split(",", PAST_RUNS).flatMap((entry) => {
    const [, commit, verdict, accepted, run] = ENTRY.exec(entry) ?? [];
    if (commit === void 0 || verdict === void 0) return [];
    return [{ commit, verdict, accepted: accepted !== void 0, run: Number(run) }];
  });
}

// scripts/src/phases/intake-schema.ts
var MOST = {
  cells: 2e3,
  scenarios: 400,
  lines: 1e5,
  blocks: 5e3,
  lineLetters: 512 * 1024,
  values: 5e4
};
var LARGEST = 1e15;
var DEEPEST = 20;
function refuse2(file, what) {
  return new InputError(`${file} of the run cannot be used: ${what}`);
}
function parseJson(file, text) {
  const { deepest, commas } = shapeOf(text);
  if (deepest > DEEPEST) throw refuse2(file, `it is nested deeper than ${DEEPEST} levels`);
  if (commas > MOST.values) throw refuse2(file, `it has more than ${MOST.values} values`);
  try {
    return JSON.parse(text);
  } catch {
    throw refuse2(file, "it is not JSON");
  }
}
function parseWith(schema, file, value) {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).filter((step) => typeof step === "number" || /^\w{1,40}$/.test(String(step)));
    throw refuse2(file, `${path.join(".") || "all of it"} is not as expected (${issue?.code ?? "unknown"})`);
  }
  if (!hasSoundNumbers(parsed.data)) throw refuse2(file, "a number in it is too large to be one that was measured");
  return parsed.data;
}
function shapeOf(text) {
  let [depth, deepest, commas, inString] = [0, 0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (inString) {
      if (letter === "\\") i++;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === ",") commas++;
    else if (letter === "[" || letter === "{") deepest = Math.max(deepest, ++depth);
    else if (letter === "]" || letter === "}") depth--;
  }
  return { deepest, commas };
}
function hasSoundNumbers(value) {
  if (typeof value === "number") return Math.abs(value) <= LARGEST;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(hasSoundNumbers);
}
var name = string().max(500);
var ratio = number().min(0).max(10);
var limit = number().positive().nullable();
var limits = object({
  maxQpsDrop: ratio,
  maxP99Rise: ratio,
  minQps: limit,
  maxP99Ms: limit,
  gateLatency: boolean()
});
var added = number().min(0).optional();
var gate = object({
  maxOverallQpsDrop: ratio,
  onInconclusive: _enum(["pass", "warn", "fail"]),
  maxAdded: object({ sqlStatements: added, dbConnections: added, redisCommands: added, responseBytes: added })
});
var measure = object({
  budgetSeconds: number().min(30).max(86400),
  maxRounds: int().min(1).max(1e3),
  maxErrorRate: ratio,
  maxForeignCores: ratio.nullable()
});
var numbers = object({
  scenarios: array(object({ name, limits, addedByHead: literal(true).optional() })).max(MOST.scenarios),
  gate,
  measure
});
var cpus = array(int().min(0).max(9999)).max(1024);
var planSchema = object({
  version: literal(1),
  id: string().regex(/^[0-9a-f]{64}$/),
  seed: int().min(0).max(2 ** 31),
  driver: _enum(["compose", "process", "url"]),
  config: numbers,
  headConfig: numbers.nullable().optional(),
  /** Only whether each is there, and likewise the next. */
  own: object({ base: unknown().optional(), head: unknown().optional() }).optional(),
  beside: unknown().optional(),
  cells: array(object({ id: name, scenario: name })).max(MOST.cells),
  layout: object({ generator: cpus, target: cpus, services: cpus, isolated: boolean() }),
  stored: object({
    anchor: object({ id: string().regex(/^([0-9a-f]{40}|sha256:[0-9a-f]{64})$/) }),
    suites: record(name, string().regex(/^[0-9a-f]{12}$/))
  }).optional()
});
var version = string().catch("").transform((text) => /^v?\d[\w.+~-]{0,50}$/.test(text) ? text : "unknown");
var CPU_WORDS = "Intel(R) Xeon(R) Core(TM) Platinum Gold Silver Bronze CPU @ AMD EPYC Ryzen Threadripper PRO Processor ARM Arm Neoverse Ampere(R) Altra(R) Apple Azure Cobalt QEMU Virtual KVM";
var SYSTEM_WORDS = "Ubuntu LTS Debian GNU/Linux Linux Alpine Fedora Red Hat Enterprise CentOS Stream Rocky AlmaLinux Amazon Arch openSUSE Leap";
var namedBy = (words) => {
  const known = new Set(words.split(" "));
  const fits = (word) => known.has(word) || /^(?=.*\d)[\w.-]{1,12}$|^\([a-z]{1,12}\)$/.test(word);
  return string().catch("").transform((text) => text.length <= 80 && text.split(" ").every(fits) ? text : "unknown");
};
var php = object({
  version,
  opcache: boolean(),
  jit: _enum(["off", "function", "tracing"]).catch("off"),
  jitBufferBytes: number().nonnegative(),
  xdebug: boolean(),
  processManager: _enum(["static", "dynamic", "ondemand", "unknown"]).catch("unknown"),
  workers: int().min(0).max(1e5)
}).transform((state) => ({ ...state, sapi: "unknown", extensions: [] })).nullable();
var TOOLS = ["node", "k6", "php", "nginx", "mysql", "redis", "docker", "compose"];
var environmentSchema = object({
  version: literal(1),
  planId: string().max(100),
  startedAt: iso_exports.datetime(),
  machine: object({
    cpuModel: namedBy(CPU_WORDS),
    logicalCpus: int().min(0).max(1e4),
    physicalCores: int().min(0).max(1e4),
    memoryBytes: number().nonnegative(),
    kernel: version,
    os: namedBy(SYSTEM_WORDS),
    cgroup: _enum(["v1", "v2", "none"])
  }),
  tools: record(string(), unknown()).transform(
    (tools) => Object.fromEntries(
      TOOLS.flatMap((tool) => Object.hasOwn(tools, tool) ? [[tool, version.parse(tools[tool])]] : [])
    )
  ),
  php: object({ base: php, head: php })
});
function withNumbers(config, brought) {
  const limitsOf = new Map(brought.scenarios.map((scenario) => [scenario.name, scenario.limits]));
  const kept = config.scenarios.flatMap((scenario) => {
    const own = limitsOf.get(scenario.name);
    return own === void 0 ? [] : [{ ...scenario, limits: own }];
  });
  return {
    ...config,
    scenarios: kept,
    gate: brought.gate,
    measure: { ...config.measure, ...brought.measure }
  };
}

// scripts/src/phases/intake-samples.ts
var FILE = "samples.ndjson";
var OWN_DETAILS = ["no time left to confirm a red"];
var SHORTEST_MS = 1e-6;
var LONGEST_MS = 1e9;
var METRICS = ["qps", "latency", "min-qps", "max-p99"];
function readLines(text, expected) {
  const rows = rowsOf(text);
  const reader = new LineReader(expected);
  for (const [index, row] of rows.entries()) {
    const file = `line ${index + 1} of ${FILE}`;
    if (row.length > MOST.lineLetters) throw refuse2(file, `it is longer than ${MOST.lineLetters} letters`);
    reader.add(file, parseWith(sampleLineSchema, file, parseJson(file, row)));
  }
  return reader.lines;
}
function rowsOf(text) {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (++count > MOST.lines) throw refuse2(FILE, `it has more than ${MOST.lines} lines`);
  }
  return text.split("\n").slice(0, -1);
}
var LineReader = class {
  lines = [];
  #expected;
  #cells;
  #tests;
  #pilots = null;
  #confirming = false;
  #stopped = false;
  /** Complete blocks so far, and the slots after them. */
  #blocks = 0;
  #slots = [];
  constructor(expected) {
    this.#expected = expected;
    this.#cells = new Set(expected.plan.cells.map(({ id }) => id));
    this.#tests = /* @__PURE__ */ new Set(["overall", ...[...this.#cells].flatMap((id) => METRICS.map((metric) => `${id}/${metric}`))]);
  }
  add(file, line) {
    if (this.#stopped) throw refuse2(file, "it comes after the end of the run");
    if (line.kind === "begin" !== (this.lines.length === 0))
      throw refuse2(file, "a run begins once, in its first line");
    this.lines.push(this.#sound(file, line));
  }
  #sound(file, line) {
    const { plan, planId: planId2 } = this.#expected;
    switch (line.kind) {
      case "begin":
        if (line.planId !== planId2) throw refuse2(file, "it belongs to another plan than plan.json");
        return { ...line, planId: plan.id };
      case "pilot":
        if (this.#pilots !== null) throw refuse2(file, "a run has one pilot");
        this.#pilots = this.#pilot(file, line.cells);
        return { ...line, cells: this.#pilots };
      case "slot":
        this.#checkSlot(file, line);
        this.#slots.push(line);
        return line;
      case "block":
        this.#checkBlock(file, line);
        return line;
      case "confirm":
        if (this.#confirming || this.#slots.length > 0)
          throw refuse2(file, "confirming begins once, between two blocks");
        if (!line.tests.every((test) => this.#tests.has(test))) {
          throw refuse2(file, "it confirms something that the configuration at the base does not judge");
        }
        this.#confirming = true;
        return line;
      case "stop":
        this.#stopped = true;
        return { ...line, detail: OWN_DETAILS.includes(line.detail) ? line.detail : null };
    }
  }
  /** What the pilot settles is worked out from its request rates, by the trusted configuration. */
  #pilot(file, cells) {
    const { plan, added: added2 } = this.#expected;
    const found = new Map(cells.map((cell) => [cell.cell, cell]));
    const known = cells.every(({ cell }) => this.#cells.has(cell) || added2.has(cell));
    if (found.size !== cells.length || !known) throw refuse2(file, "its cells are not those of the plan");
    return plan.cells.map((cell) => {
      const pilot = found.get(cell.id);
      if (pilot === void 0) throw refuse2(file, "its cells are not those of the plan");
      return afterPilot(plan, cell, pilot.qps, null);
    });
  }
  #checkSlot(file, slot) {
    if (this.#pilots === null) throw refuse2(file, "a slot comes after the pilot");
    if (!this.#cells.has(slot.cell))
      throw refuse2(file, "it is of a cell that the configuration at the base does not have");
    this.#checkPlace(file, slot);
    if (this.#slots.some(({ cell, arm }) => cell === slot.cell && arm === slot.arm)) {
      throw refuse2(file, "its block has that slot already");
    }
    if (!(Math.abs(slot.qps * slot.seconds - slot.requests) <= 1e-6 * slot.requests)) {
      throw refuse2(file, "its rate is not its requests by its seconds");
    }
    const slowest = slot.slowest ?? [];
    if (!slowest.every(({ ms }, i) => ms <= (slowest[i - 1]?.ms ?? LONGEST_MS))) {
      throw refuse2(file, "its slowest requests are not in order, or none takes so long");
    }
    if (slot.latencyMs === null) return;
    const { p50, p90, p95, p99, max, avg } = slot.latencyMs;
    const rising = [0, p50, p90, p95, p99, max].every((value, i, all) => i === 0 || value >= (all[i - 1] ?? 0));
    if (!rising || avg > max * 1.000001) throw refuse2(file, "its percentiles contradict each other");
    if (p50 < SHORTEST_MS || max > LONGEST_MS) throw refuse2(file, "no request takes so long, or so little time");
  }
  #checkPlace(file, { block, stage }) {
    if (block !== this.#blocks) throw refuse2(file, `it is of block ${block}, where block ${this.#blocks} is due`);
    if (block >= MOST.blocks) throw refuse2(file, `a run has at most ${MOST.blocks} blocks`);
    if (stage === "confirm" !== this.#confirming) throw refuse2(file, "it is of the wrong stage");
  }
  /** A complete block holds its slots in the order that its seed gives. */
  #checkBlock(file, line) {
    this.#checkPlace(file, line);
    const { seed } = this.#expected.plan;
    const cells = new Set(this.#slots.map(({ cell }) => cell));
    const measured = (this.#pilots ?? []).filter(({ cell }) => cells.has(cell));
    const place = ({ cell, arm, order }) => `${cell} ${arm} ${order}`;
    const due = scheduleBlock(seed, line.block, measured, 0).map(place);
    const came = this.#slots.map(place);
    if (came.length === 0 || came.join("\n") !== due.join("\n")) {
      throw refuse2(file, "the slots of its block are not in the order that the seed of the plan gives");
    }
    this.#blocks++;
    this.#slots = [];
  }
};

// scripts/src/phases/intake.ts
function usesRecords({ plan }) {
  const { stored, beside } = parseWith(planSchema, "plan.json", parseJson("plan.json", plan));
  return stored !== void 0 ? "judged" : beside !== void 0 ? "beside" : null;
}
function intake(files, trusted) {
  const raw = parseJson("plan.json", files.plan);
  const brought = parseWith(planSchema, "plan.json", raw);
  if (planId(raw, sha256) !== brought.id) throw refuse2("plan.json", "its content does not match its id");
  if (brought.own !== void 0 && (brought.stored === void 0 || brought.own.head !== void 0)) {
    throw refuse2("plan.json", "its two sides were not started alike: the job that measured it has a verdict");
  }
  const config = trustedConfig(trusted);
  const plan = trustedPlan(brought, config, trusted);
  const added2 = checkCells(brought, plan, trusted.config === null);
  const lines = readLines(files.samples ?? "", { plan, planId: brought.id, added: added2.cells });
  const census = files.census === null ? null : readCensus(files.census, brought.id, plan, added2.scenarios);
  const environment = files.environment === null ? null : readEnvironment(files.environment, brought.id, plan, trusted);
  checkComplete(lines, census, environment);
  const history = trusted.history === void 0 ? null : { version: 1, planId: plan.id, ...trusted.history };
  const comparison = compare({ plan, census, environment, lines, history, damaged: [] });
  return { plan, comparison, census, environment, lines };
}
function trustedConfig({ config, file }) {
  return config === null ? zeroConfig() : parseConfig(config, { file, directory: "/", isFile: () => true });
}
function trustedPlan(brought, config, trusted) {
  const stored = trustedStored(brought, config, trusted);
  const beside = stored === void 0 ? trustedBeside(config, trusted) : void 0;
  const { head } = trusted.arms;
  const base = stored === void 0 ? trusted.arms.base : anchorArm(stored);
  const source = (arm) => ({
    ...arm,
    directory: null,
    repository: null,
    image: null
  });
  const { budgetSeconds } = brought.config.measure;
  const measure2 = { ...config.measure, budgetSeconds };
  const plan = {
    seed: brought.seed,
    arms: { base: source(base), head: source(head) },
    sameSource: stored === void 0 && base.commit !== null && base.commit === head.commit,
    driver: brought.driver,
    config: { ...config, measure: measure2 },
    layout: layoutOf(brought.layout),
    ...stored === void 0 ? {} : { stored },
    ...beside === void 0 ? {} : { beside }
  };
  const headConfig = headConfigOf(brought, plan.config);
  const edited = headConfig !== void 0 && configEdits({ config: plan.config, headConfig }).length > 0;
  return buildPlan(edited ? { ...plan, headConfig } : plan, sha256);
}
function trustedStored(brought, config, { history }) {
  if (brought.stored === void 0) return void 0;
  const label = config.baseline.anchor ?? REFERENCE;
  if (brought.own !== void 0 !== (label === REFERENCE)) {
    throw refuse2("plan.json", "it was measured against another anchor than that of the configuration at the base");
  }
  if (history === void 0) throw refuse2("plan.json", "it was compared with stored records, which are not read here");
  const { anchor, suites: theirs } = brought.stored;
  const own = suitesOfRequests(config);
  const suites = Object.fromEntries(cellsOf(config).map(({ id }) => [id, own[id] ?? theirs[id] ?? ""]));
  return { anchor: { label, id: anchor.id }, store: history.store, branch: history.branch, suites };
}
function trustedBeside(config, { history }) {
  return history && { store: history.store, branch: history.branch, suites: suitesOfRequests(config) };
}
var suitesOfRequests = (config) => suitesOf(config, () => null, sha256);
function anchorArm({ anchor }) {
  return { label: anchor.label, commit: anchor.id.startsWith("sha256:") ? null : anchor.id };
}
function headConfigOf(brought, config) {
  if (brought.headConfig === null) return null;
  const own = brought.headConfig ?? brought.config;
  const known = new Set(config.scenarios.map(({ name: name2 }) => name2));
  const more = new Set(own.scenarios.map(({ name: name2 }) => name2).filter((name2) => !known.has(name2))).size;
  const rebuilt = withNumbers(config, own);
  const [first] = config.scenarios;
  const unnamed = first === void 0 ? [] : Array.from({ length: more }, () => ({ ...first, name: "" }));
  return { ...rebuilt, scenarios: [...rebuilt.scenarios, ...unnamed] };
}
function layoutOf({ generator, target, services, isolated }) {
  const layout = describeLayout({ generator, target, services });
  if (isolated || !layout.isolated) return layout;
  return { ...layout, isolated: false, note: `${layout.note}; they share a physical core: expect wide intervals` };
}
function checkCells(brought, plan, unconfigured) {
  const scenarios = new Set(brought.config.scenarios.flatMap((one) => one.addedByHead ? [one.name] : []));
  const own = brought.cells.filter(({ scenario }) => !scenarios.has(scenario));
  const same = own.length === plan.cells.length && own.every(({ id }, i) => id === plan.cells[i]?.id);
  if (!same) {
    const came = new Set(own.map(({ id }) => id));
    const missing = plan.cells.filter(({ id }) => !came.has(id)).length;
    const unknown2 = own.filter(({ id }) => !plan.cells.some((cell) => cell.id === id)).length;
    const counts = `${missing} missing, ${unknown2} unknown, or in another order`;
    const fix = unconfigured ? "The base has no configuration yet, and the head's own cannot judge it here: the job that measured it has a verdict" : "Run the measuring job again: it takes the base's configuration as it is now";
    throw refuse2("plan.json", `its cells are not those of the configuration at the base (${counts}). ${fix}`);
  }
  const cells = brought.cells.filter(({ scenario }) => scenarios.has(scenario)).map(({ id }) => id);
  return { cells: new Set(cells), scenarios };
}
function readCensus(text, id, plan, added2) {
  const file = "census.json";
  const census = parseWith(censusSchema, file, parseJson(file, text));
  if (census.planId !== id) throw refuse2(file, "it belongs to another plan than plan.json");
  if (census.scenarios.length > MOST.scenarios) throw refuse2(file, `it has more than ${MOST.scenarios} scenarios`);
  const found = new Map(census.scenarios.map((entry) => [entry.scenario, entry]));
  const names = plan.config.scenarios.map(({ name: name2 }) => name2);
  const known = [...found.keys()].every((name2) => names.includes(name2) || added2.has(name2));
  const scenarios = names.flatMap((name2) => found.get(name2) ?? []);
  if (!known || found.size !== census.scenarios.length || scenarios.length !== names.length) {
    throw refuse2(file, "its scenarios are not those of the plan");
  }
  const statuses = scenarios.flatMap(({ arms }) => [arms.base.statuses, arms.head.statuses]);
  if (statuses.some((codes) => codes.length > 100 || codes.some((code) => code > 999))) {
    throw refuse2(file, "a status in it is none of HTTP");
  }
  return { ...census, planId: plan.id, scenarios };
}
function readEnvironment(text, id, plan, trusted) {
  const file = "environment.json";
  const raw = parseJson(file, text);
  const environment = parseWith(environmentSchema, file, raw);
  if (environment.planId !== id) throw refuse2(file, "it belongs to another plan than plan.json");
  const machine = { ...environment.machine, ...namedCpu(raw, trusted) };
  const php2 = plan.stored?.anchor.label === REFERENCE ? { ...environment.php, base: null } : environment.php;
  return { ...environment, machine, planId: plan.id, warnings: environmentWarnings(plan, php2) };
}
var machineNames = object({ machine: object({ cpuModel: string().regex(/^[\x20-\x7e]{1,120}$/) }) });
function namedCpu(raw, { history, isOwn }) {
  const parsed = machineNames.safeParse(raw);
  if (!parsed.success) return {};
  const { cpuModel } = parsed.data.machine;
  const recorded = history?.records.some(({ conditions }) => conditions.must.cpuModel === cpuModel) ?? false;
  return isOwn || recorded ? { cpuModel } : {};
}
function checkComplete(lines, census, environment) {
  if (!lines.some(({ kind }) => kind === "pilot" || kind === "slot")) return;
  if (census === null) throw refuse2("census.json", "it is missing, though the run has samples");
  if (environment === null) throw refuse2("environment.json", "it is missing, though the run has samples");
}

// scripts/src/phases/github-comment.ts
var Nothing = class extends Error {
};
async function githubComment(source, env) {
  const inputs = readInputs(env);
  if (inputs.comment === "never") return "no comment is wanted (comment: never)";
  const api = apiOf(env);
  if (api === null) {
    throw new InputError(
      "GITHUB_TOKEN and GITHUB_REPOSITORY are not set: write in the step\n        env:\n          GITHUB_TOKEN: ${{ github.token }}"
    );
  }
  try {
    return await comment(api, source, inputs, env);
  } catch (error) {
    if (error instanceof Nothing) return `no comment: ${error.message}`;
    if (!(error instanceof GitHubError || error instanceof InputError)) throw error;
    annotate([{ level: "warning", title: "perf-gate: no comment", message: error.message, place: null }]);
    return "no comment: see the warning";
  }
}
async function comment(api, source, inputs, env) {
  const { judged, pull, run } = source.kind === "run" ? await ofRun(api, source.id) : await ofJob(api, env);
  const zip = source.kind === "run" ? await download(api, source.id, inputs.artifact) : readZip(source.path, inputs.artifact);
  const base = await api.tip(pull.baseRef);
  const files = await readArtifact(zip);
  const trusted = {
    ...await configAt(api, inputs.config, base),
    arms: {
      base: { label: pull.baseRef, commit: base },
      head: { label: `#${pull.number}`, commit: judged.commit }
    }
  };
  const history = await recordsFor(usesRecords(files), trusted, pull.baseRef, env);
  const measured = intake(files, history === null ? trusted : { ...trusted, history });
  const { comparison } = measured;
  const { accepted, notes } = await acceptedBy(api, judged, comparison, inputs.acceptLabel);
  if (pull.headRepository !== env["GITHUB_REPOSITORY"]) notes.push(FOREIGN);
  const done = await putComment(api, {
    pull: pull.number,
    key: inputs.artifact,
    policy: inputs.comment,
    now: { commit: judged.commit, verdict: comparison.verdict, accepted: accepted !== null, run },
    render: (runs, bytes) => renderComment(
      measured,
      {
        accepted,
        notes,
        base: pull.baseRef,
        name: inputs.artifact,
        runs: runs.map((past) => ({ ...past, url: runUrl(env, past.run) }))
      },
      bytes
    )
  });
  if (done === "unwanted") return `no comment is wanted for ${comparison.verdict} (comment: ${inputs.comment})`;
  return `${done} the comment on #${pull.number}: ${comparison.verdict}`;
}
var FOREIGN = "Measured by the code of this pull request, in a job without rights: who runs it can forge the numbers, but not this text, the verdict they lead to, or what is allowed.";
async function ofRun(api, id) {
  const run = await api.run(id);
  if (run.event !== "pull_request") throw new Nothing(`run ${id} is for ${run.event}, not for a pull request`);
  const { headRepository, headBranch, headSha, createdAt } = run;
  if (headRepository === null || headBranch === null) throw new Nothing(`the branch of run ${id} is gone`);
  const owner = headRepository.split("/")[0] ?? "";
  const open = (await api.openPulls(owner, headBranch)).filter((pull2) => pull2.headRepository === headRepository);
  const [pull, ...more] = open.filter((candidate) => candidate.headSha === headSha);
  const short = headSha.slice(0, 7);
  if (pull === void 0) {
    throw new Nothing(
      open.length > 0 ? `${short} is no longer the newest commit` : `no open pull request has ${short} as its head`
    );
  }
  if (more.length > 0) {
    const numbers2 = [pull, ...more].map(({ number: number2 }) => `#${number2}`).join(", ");
    throw new Nothing(`${short} is the head of several pull requests: ${numbers2}`);
  }
  return { judged: { pull: pull.number, commit: headSha, since: createdAt }, pull, run: id };
}
async function ofJob(api, env) {
  const judged = judgedBy(env, readInputs(env).acceptLabel);
  const run = Number(env["GITHUB_RUN_ID"]);
  if (judged === null || !Number.isSafeInteger(run) || run <= 0) {
    throw new InputError("--artifact-directory is for the job of a pull_request event; elsewhere give --run-id");
  }
  const pull = await api.pull(judged.pull);
  if (pull.headSha !== judged.commit) throw new Nothing(`${judged.commit.slice(0, 7)} is no longer the newest commit`);
  return { judged, pull, run };
}
async function download(api, run, name2) {
  const artifact = await api.artifact(run, name2);
  if (artifact === null) throw new Nothing(`run ${run} has no artifact ${name2}: it measured nothing`);
  if (artifact.expired) throw new Nothing(`artifact ${name2} of run ${run} has expired`);
  if (artifact.bytes > ARTIFACT_BYTES) throw tooLarge(name2, artifact.bytes);
  return await api.download(artifact.id, ARTIFACT_BYTES);
}
function readZip(directory, name2) {
  let files;
  try {
    files = readdirSync(directory);
  } catch (error) {
    throw new InputError(`--artifact-directory: ${directory} cannot be read: ${error.message}`);
  }
  const [file] = files;
  if (file === void 0 || files.length > 1) {
    throw new InputError(
      `--artifact-directory: ${directory} should hold one zip and nothing else, it has ${files.length} files (actions/download-artifact leaves the zip as it is with skip-decompress: true)`
    );
  }
  const path = join(directory, file);
  const { size } = statSync(path);
  if (size > ARTIFACT_BYTES) throw tooLarge(name2, size);
  return readFileSync(path);
}
function tooLarge(name2, bytes) {
  return new InputError(`artifact ${name2} has ${bytes} bytes, more than the ${ARTIFACT_BYTES} that are read`);
}
async function configAt(api, path, commit) {
  for (const file of path === null ? DEFAULT_FILES : [path]) {
    const config = await api.fileAt(file, commit);
    if (config !== null) return { config, file };
  }
  return { config: null, file: path ?? DEFAULT_FILES[0] };
}
async function recordsFor(use, trusted, branch, env) {
  if (use === "judged") return await historyOf(trusted, branch, env);
  if (use === null || branchBeside(trustedConfig(trusted), branch) === null) return null;
  return await historyOf(trusted, branch, env).catch((error) => {
    if (error instanceof InputError) return null;
    throw error;
  });
}
async function historyOf(trusted, branch, env) {
  const { store: name2, branch: configured } = trustedConfig(trusted).baseline;
  if (!name2.startsWith("git:")) {
    throw new InputError(
      `the run was compared with records of ${name2}, which this job does not have: its own job summary has the verdict. Records on a branch (baseline: { store: git:perf-gate-data }) can be read here`
    );
  }
  const { records, missing } = await openStore(name2, { directory: ".", env, origin: repositoryUrl(env) }).read();
  return { records, missing, store: name2, branch: configured ?? branch };
}
function repositoryUrl(env) {
  return `${env["GITHUB_SERVER_URL"] || "https://github.com"}/${env["GITHUB_REPOSITORY"]}`;
}
function runUrl(env, run) {
  return `${repositoryUrl(env)}/actions/runs/${run}`;
}

export {
  readArtifact,
  intake,
  trustedConfig,
  githubComment,
  readZip,
  configAt,
  repositoryUrl
};
