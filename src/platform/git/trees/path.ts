/** Why a path cannot name a file of a repository. */
export type PathProblem =
  | 'empty'
  | 'absolute'
  | 'empty-segment'
  | 'traversal'
  | 'control-character'
  | 'dot-git'
  | 'too-deep'
  | 'too-long';

const MAX_SEGMENTS = 256;
const MAX_BYTES = 4096;
const MAX_SEGMENT_BYTES = 255;

// Code points that HFS+ ignores when it compares names: `.g\u200cit` opens `.git` there.
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
// NTFS drops dots and spaces at the end of a name, reads `:` as a stream, and knows `.git` as `git~1` too.
const NTFS_DOT_GIT = /^(?:\.git|git~1)[. ]*(?:$|:)/i;

/** What is wrong with the path of a file to be read or written, or null when it is sound. */
export function pathProblem(path: string): PathProblem | null {
  if (path === '') return 'empty';
  if (path.startsWith('/')) return 'absolute';
  if (/[\0\n]/.test(path)) return 'control-character';
  if (Buffer.byteLength(path) > MAX_BYTES) return 'too-long';
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS) return 'too-deep';
  for (const segment of segments) {
    const problem = segmentProblem(segment);
    if (problem) return problem;
  }
  return null;
}

/** Whether some file system would open `.git` under this name. */
export function isDotGit(name: string): boolean {
  // Windows reads a backslash as a separator.
  return name.split('\\').some((part) => {
    return part.replace(HFS_IGNORED, '').toLowerCase() === '.git' || NTFS_DOT_GIT.test(part);
  });
}

// As 8.3 names of Windows: `gitmod~1`, and `gi7eba~1` where that one is taken.
const SHORT_NAME = /^gi[0-9a-z]*~\d/;

/** Whether git checks what lies at a path, under whatever name some file system would find it. */
export function isCheckedByGit(path: string): boolean {
  return path.split(/[\\/]/).some((part) => {
    const name = part.replace(HFS_IGNORED, '').toLowerCase();
    return name.startsWith('.gitmodules') || name.startsWith('.gitattributes') || SHORT_NAME.test(name);
  });
}

function segmentProblem(segment: string): PathProblem | null {
  if (segment === '') return 'empty-segment';
  if (segment.split('\\').some((part) => part === '..') || segment === '.') return 'traversal';
  if (isDotGit(segment)) return 'dot-git';
  return Buffer.byteLength(segment) > MAX_SEGMENT_BYTES ? 'too-long' : null;
}
