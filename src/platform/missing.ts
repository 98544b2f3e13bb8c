/**
 * For `catch`: returns undefined if a file or folder does not exist, or was removed concurrently; rethrows other
 * errors.
 */
export function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
