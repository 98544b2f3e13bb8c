/** Contents of a Git LFS pointer file. */
export interface LfsPointer {
  /** SHA-256 of the object, 64 lower-case hex digits. */
  readonly oid: string;
  readonly size: number;
}

/** Blobs outside this size range are never pointers, so most blobs need not be read to find out. */
export const LFS_POINTER_BYTES = { min: 120, max: 200 } as const;

const VERSION = 'version https://git-lfs.github.com/spec/v1';
const LEGACY_VERSION = 'version https://hawser.github.com/spec/v1';
const OID = /^oid sha256:([0-9a-f]{64})$/;
const SIZE = /^size (0|[1-9][0-9]{0,15})$/;
const EXTENSION = /^ext-[0-9]-[^ ]+ sha256:[0-9a-f]{64}$/;

/** Whether a blob of this size can be a pointer. */
export function canBeLfsPointer(size: number): boolean {
  return size >= LFS_POINTER_BYTES.min && size <= LFS_POINTER_BYTES.max;
}

/** Parses a blob as a pointer; undefined for anything else. */
export function parseLfsPointer(content: Buffer): LfsPointer | undefined {
  if (!canBeLfsPointer(content.length)) return undefined;
  const lines = content.toString('latin1').split('\n');
  if (lines.pop() !== '') return undefined;
  const version = lines.shift();
  if (version !== VERSION && version !== LEGACY_VERSION) return undefined;
  while (lines[0] !== undefined && EXTENSION.test(lines[0])) lines.shift();
  const [oidLine, sizeLine, ...rest] = lines;
  const oid = OID.exec(oidLine ?? '')?.[1];
  const size = SIZE.exec(sizeLine ?? '')?.[1];
  if (oid === undefined || size === undefined || rest.length > 0) return undefined;
  return { oid, size: Number(size) };
}

/** Formats the pointer file of an object, byte for byte as git-lfs writes it. */
export function formatLfsPointer(pointer: LfsPointer): string {
  return `${VERSION}\noid sha256:${pointer.oid}\nsize ${pointer.size}\n`;
}
