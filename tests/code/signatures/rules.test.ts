import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  pgpStatus,
  rememberedStatus,
  sshStatus,
  type VerificationStatus,
  x509Status,
} from '../../../src/code/signatures/rules.ts';

describe('pgpStatus', () => {
  const emails = new Set(['ann@example.com', 'old@example.com']);
  const owned = new Set(['ann@example.com', 'new@example.com']);
  const key = { revoked: false, emails, owned };
  const facts = { signatures: 1, key, valid: true, committerEmail: 'Ann@example.com' };
  const table: [string, Partial<Parameters<typeof pgpStatus>[0]>, VerificationStatus][] = [
    ['by the committer', {}, 'verified'],
    ['with another address of the same user', { committerEmail: 'new@example.com' }, 'same_user_different_email'],
    ['for another user', { committerEmail: 'bob@example.com' }, 'other_user'],
    ['with an unconfirmed address of the key', { committerEmail: 'old@example.com' }, 'other_user'],
    ['over other bytes', { valid: false }, 'unverified'],
    ['malformed', { signatures: undefined, key: undefined }, 'unverified'],
    ['by a stranger', { key: undefined }, 'unknown_key'],
    ['two signatures', { signatures: 2, key: undefined }, 'multiple_signatures'],
    ['by a key without confirmed addresses', { key: { ...key, owned: new Set(['x@example.com']) } }, 'unverified_key'],
    ['by a revoked key', { key: { ...key, revoked: true } }, 'revoked_key'],
  ];
  for (const [what, change, status] of table) {
    it(`${what}: ${status}`, () => assert.equal(pgpStatus({ ...facts, ...change }), status));
  }
});

describe('sshStatus', () => {
  const facts = { valid: true, bySystem: false, key: { userId: 1 }, committerId: 1 };
  const table: [string, Partial<Parameters<typeof sshStatus>[0]>, VerificationStatus][] = [
    ['by the committer', {}, 'verified'],
    ['over other bytes', { valid: false }, 'unverified'],
    ['by the server', { bySystem: true, key: undefined }, 'verified_system'],
    ['by the server, over other bytes', { bySystem: true, valid: false }, 'unverified'],
    ['by a stranger', { key: undefined }, 'unknown_key'],
    ['for another user', { committerId: 2 }, 'other_user'],
    ['for nobody here', { committerId: undefined, key: { userId: null } }, 'other_user'],
  ];
  for (const [what, change, status] of table) {
    it(`${what}: ${status}`, () => assert.equal(sshStatus({ ...facts, ...change }), status));
  }
});

describe('x509Status', () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const emails = new Set(['ann@example.com']);
  const certificate = { trusted: true, revoked: false, listed: true, emails, signedAt: at(100) };
  const facts = { signer: { email: 'Ann@example.com', seconds: 100 }, certificate, owned: true };
  const table: [string, Partial<Parameters<typeof x509Status>[0]>, VerificationStatus][] = [
    ['by the committer', {}, 'verified'],
    ['invalid', { certificate: undefined }, 'unverified'],
    ['by an untrusted certificate', { certificate: { ...certificate, trusted: false } }, 'unverified'],
    ['by a revoked certificate', { certificate: { ...certificate, revoked: true } }, 'unverified'],
    ['by a certificate without a revocation list', { certificate: { ...certificate, listed: false } }, 'unverified'],
    ['with another address', { signer: { email: 'bob@example.com', seconds: 100 } }, 'unverified'],
    ['with an address of no user', { owned: false }, 'unverified'],
    ['made before the commit', { certificate: { ...certificate, signedAt: at(99) } }, 'unverified'],
    ['made after the commit', { certificate: { ...certificate, signedAt: at(101) } }, 'verified'],
    ['without a signing time', { certificate: { ...certificate, signedAt: undefined } }, 'unverified'],
  ];
  for (const [what, change, status] of table) {
    it(`${what}: ${status}`, () => assert.equal(x509Status({ ...facts, ...change }), status));
  }
});

describe('rememberedStatus', () => {
  const signer = { email: 'Ann@example.com', seconds: 0 };
  const mine = new Set(['ann@example.com']);
  const table: [VerificationStatus, ReadonlySet<string> | undefined, VerificationStatus][] = [
    ['verified', mine, 'verified'],
    ['unknown_key', mine, 'verified'],
    ['unknown_key', undefined, 'verified'],
    ['unknown_key', new Set(), 'unverified_author_email'],
    ['other_user', new Set(), 'unverified_author_email'],
    ['revoked_key', mine, 'revoked_key'],
    ['other_user', undefined, 'other_user'],
  ];
  for (const [today, owned, status] of table) {
    const who =
      owned === undefined ? 'a deleted user' : owned.size > 0 ? 'the same user' : 'a user without the address';
    it(`is ${status} for ${today} with the key of ${who}`, () => {
      assert.equal(rememberedStatus({ status: today, owned, signer }), status);
    });
  }
});
