/**
 * For `catch`: nothing in place of a file or folder that is not there, or that another process has just removed. Any
 * other failure stays one.
 */
export function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
