import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  adminScopes,
  gitScopes,
  resourceTokenScopes,
  scopesCover,
  tokenScopes,
} from '../../../src/access/credentials/scopes.ts';
import { expiryOf, expiryProblem, inDays, today } from '../../../src/people/tokens/expiry.ts';
import { isActive } from '../../../src/people/tokens/present.ts';
import { asSentence, tokenProblems } from '../../../src/people/tokens/rules.ts';

const now = Date.parse('2026-08-25T15:30:00Z');
const on = (text: string) => Date.parse(`${text}T00:00:00Z`);

describe('token expiry', () => {
  it('is counted in UTC days', () => {
    assert.equal(today(now), on('2026-08-25'));
    assert.equal(inDays(7, now), on('2026-09-01'));
    assert.equal(expiryOf(undefined, 365, now), on('2027-08-25'));
    assert.equal(expiryOf('2026-12-31', 365, now), on('2026-12-31'));
  });

  it('is limited to a maximum lifetime', () => {
    assert.equal(expiryProblem(on('2027-08-25'), { longest: 365 }, now), undefined);
    assert.equal(expiryProblem(on('2027-08-26'), { longest: 365 }, now), 'must be before 2027-08-25');
    assert.equal(expiryProblem(on('2020-01-01'), { longest: 365 }, now), undefined);
    assert.equal(expiryProblem(on('2026-09-05'), { longest: 10 }, now), 'must be before 2026-09-04');
    assert.equal(expiryProblem(on('2099-01-01'), { longest: null }, now), undefined);
    assert.equal(expiryProblem(null, { longest: 10 }, now), undefined);
  });

  it('takes effect at the start of the day', () => {
    const token = { revoked: 0, expires_at: on('2026-08-25') };
    assert.equal(isActive(token, on('2026-08-25') - 1), true);
    assert.equal(isActive(token, on('2026-08-25')), false);
    assert.equal(isActive({ revoked: 1, expires_at: null }, now), false);
    assert.equal(isActive({ revoked: 0, expires_at: null }, now), true);
  });
});

describe('new token', () => {
  it('is validated for name, description and scopes', () => {
    const good = { name: 'ci', scopes: ['api'] };
    assert.deepEqual(tokenProblems(good, false), {});
    assert.deepEqual(tokenProblems({ name: ' ', scopes: [] }, false), {
      name: ["can't be blank"],
      scopes: ["can't be blank"],
    });
    const long = 'is too long (maximum is 255 characters)';
    assert.deepEqual(tokenProblems({ ...good, name: 'n'.repeat(256), description: 'd'.repeat(256) }, false), {
      name: [long],
      description: [long],
    });
    for (const scope of adminScopes) {
      assert.deepEqual(tokenProblems({ ...good, scopes: ['api', scope] }, true), {});
      const refused = { scopes: ['can only contain available scopes'] };
      assert.deepEqual(tokenProblems({ ...good, scopes: ['api', scope] }, false), refused);
    }
  });

  it('reports errors in a sentence', () => {
    const [a, b, c] = [{ name: ['x'] }, { scopes: ['y'] }, { description: ['z'] }];
    assert.equal(asSentence(a), 'Name x');
    assert.equal(asSentence({ ...a, ...b }), 'Name x and Scopes y');
    assert.equal(asSentence({ ...a, ...b, ...c }), 'Name x, Scopes y, and Description z');
  });
});

/**
 * The kinds of operations that each scope allows: reading, writing, one with its own scope, and one open to any token.
 */
const opens: Record<string, string> = {
  api: 'read write own any',
  read_api: 'read any',
  read_user: 'own any',
  read_repository: 'any',
  write_repository: 'any',
  read_registry: 'any',
  write_registry: 'any',
  create_runner: 'any',
  manage_runner: 'any',
  self_rotate: 'any',
  ai_features: 'any',
  k8s_proxy: 'any',
  read_virtual_registry: 'any',
  write_virtual_registry: 'any',
  read_service_ping: 'any',
  sudo: 'any',
  admin_mode: 'any',
};
const git: Record<string, string> = {
  api: 'pull push',
  read_api: 'pull',
  read_repository: 'pull',
  write_repository: 'pull push',
};

describe('token scopes', () => {
  it('are all listed in the tables below', () => assert.deepEqual(Object.keys(opens), [...tokenScopes]));

  for (const scope of tokenScopes) {
    it(`${scope} allows: ${opens[scope]}; over Git: ${git[scope] ?? 'nothing'}`, () => {
      const held = new Set([scope]);
      const found = [
        scopesCover(held, 'GET') && scopesCover(held, 'HEAD') && 'read',
        ['POST', 'PUT', 'PATCH', 'DELETE'].every((method) => scopesCover(held, method)) && 'write',
        scopesCover(held, 'POST', ['read_user']) && 'own',
        scopesCover(held, 'DELETE', ['any']) && 'any',
      ];
      assert.equal(found.filter(Boolean).join(' '), opens[scope]);
      const { pull, push } = gitScopes(held);
      assert.equal([pull && 'pull', push && 'push'].filter(Boolean).join(' '), git[scope] ?? '');
    });
  }

  it('of projects and groups exclude those for administrators and users', () => {
    const others = tokenScopes.filter((scope) => !resourceTokenScopes.includes(scope));
    assert.deepEqual(others, ['read_user', 'read_service_ping', 'sudo', 'admin_mode']);
  });
});
