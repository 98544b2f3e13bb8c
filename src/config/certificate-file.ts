import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readPem } from '../platform/git/signatures/x509/pem.ts';
import { BadValue } from './setting.ts';

/** Returns the absolute path of a file that contains certificates. */
export function certificateFile(path: string): string {
  if (countCertificates(path) === 0) throw new BadValue('expected a file with certificates in PEM');
  return resolve(path);
}

function countCertificates(path: string): number {
  try {
    return readPem(readFileSync(path, 'utf8')).length;
  } catch (error) {
    throw new BadValue(`expected a file with certificates in PEM: ${(error as Error).message}`);
  }
}
