import { crc32, deflateRawSync } from "node:zlib";

/** One entry; whatever is given beside name and content is written as it is, true or not. */
export interface ZipEntry {
  name: string | Buffer;
  content?: string | Buffer;
  method?: number;
  /** The packed bytes themselves. */
  packed?: Buffer;
  size?: number;
  packedSize?: number;
  crc?: number;
  flags?: number;
  /** Unix mode, as in 0o120777 for a link. */
  mode?: number;
  extra?: Buffer;
  /** Name in the local header. */
  localName?: string;
  /** Where the directory says that the local header is. */
  offset?: number;
}

interface Tricks {
  comment?: string;
  /** Entries that the end record counts. */
  count?: number;
  before?: Buffer;
  after?: Buffer;
}

/** A zip archive with the lies it is asked for. */
export function zipOf(entries: readonly ZipEntry[], tricks: Tricks = {}): Buffer {
  const parts: Buffer[] = [tricks.before ?? Buffer.alloc(0)];
  const directory: Buffer[] = [];
  let at = parts[0]?.length ?? 0;
  for (const entry of entries) {
    const { local, central } = records(entry, entry.offset ?? at);
    parts.push(local);
    directory.push(central);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const comment = Buffer.from(tricks.comment ?? "");
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(tricks.count ?? entries.length, 8);
  end.writeUInt16LE(tricks.count ?? entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, central, end, comment, tricks.after ?? Buffer.alloc(0)]);
}

function records(entry: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const { method = 8, flags = 0, mode = 0o100644, extra = Buffer.alloc(0) } = entry;
  const content = Buffer.from(entry.content ?? "");
  const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
  const name = Buffer.from(entry.name);
  const shared = (record: Buffer, from: number) => {
    record.writeUInt16LE(flags, from);
    record.writeUInt16LE(method, from + 2);
    record.writeUInt32LE(entry.crc ?? crc32(content), from + 8);
    record.writeUInt32LE(entry.packedSize ?? packed.length, from + 12);
    record.writeUInt32LE(entry.size ?? content.length, from + 16);
  };
  const localName = Buffer.from(entry.localName ?? name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  shared(local, 6);
  local.writeUInt16LE(localName.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE((3 << 8) | 30, 4);
  central.writeUInt16LE(20, 6);
  shared(central, 8);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt16LE(extra.length, 30);
  central.writeUInt32LE((mode << 16) >>> 0, 38);
  central.writeUInt32LE(offset, 42);
  return { local: Buffer.concat([local, localName, packed]), central: Buffer.concat([central, name, extra]) };
}

/** The extra field in which zip64 keeps sizes that the ordinary fields (0xffffffff there) have no room for. */
export function zip64Sizes(size: bigint, packedSize: bigint): Buffer {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(size, 4);
  extra.writeBigUInt64LE(packedSize, 12);
  return extra;
}
