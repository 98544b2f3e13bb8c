import assert from 'node:assert/strict';
import { it } from 'node:test';
import { signedGet } from '../../../src/imports/project-archives/s3.ts';

const file = {
  region: 'us-east-1',
  bucket: 'examplebucket',
  key: 'test.txt',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const now = new Date('2013-05-24T00:00:00Z');

it('matches the signature of the AWS example', () => {
  const address = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const { headers } = signedGet(file, '', now, { range: 'bytes=0-9' }, address);
  assert.equal(
    headers.authorization,
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

const places: readonly [object, string, string][] = [
  [{}, '', 'https://examplebucket.s3.us-east-1.amazonaws.com/test.txt'],
  [{ bucket: 'a.b' }, '', 'https://s3.us-east-1.amazonaws.com/a.b/test.txt'],
  [{ key: "a b/c(1)'é" }, '', 'https://examplebucket.s3.us-east-1.amazonaws.com/a%20b/c%281%29%27%C3%A9'],
  [{}, 'http://minio:9000/', 'http://minio:9000/examplebucket/test.txt'],
  [{ key: '?x#y@z' }, '', 'https://examplebucket.s3.us-east-1.amazonaws.com/%3Fx%23y%40z'],
];
for (const [over, server, expected] of places) {
  it(`requests ${expected}`, () => assert.equal(signedGet({ ...file, ...over }, server, now).url, expected));
}
