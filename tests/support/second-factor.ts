import assert from 'node:assert/strict';
import { codeAt, stepAt } from '../../src/people/second-factor/totp.ts';
import type { Browser, Seen } from './browser.ts';
import type { TestServer } from './server.ts';

export const factorPage = '/-/profile/two_factor_auth';
export const codePage = '/users/sign_in/two_factor';

/** Reads the secret key from a page, like an authenticator app. */
export function keyIn(page: string): Buffer {
  const shown = /<code class="key">([A-Z2-7 ]+)<\/code>/.exec(page)?.[1]?.replaceAll(' ', '') ?? '';
  const bits = [...shown].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of an authenticator app, a number of half minutes from now. */
export const appCode = (key: Buffer, later = 0): string => codeAt(key, stepAt(Date.now()) + later);

export const codesIn = ({ text }: Seen): string[] =>
  [...text.matchAll(/<li><code>([a-z2-7-]{19})<\/code><\/li>/g)].map(([, code = '']) => code);

const offerIn = (page: string) => /name="offer" value="([^"]+)"/.exec(page)?.[1] ?? '';

/** The second factor of a user: the app's key and the recovery codes. */
export interface Factor {
  readonly key: Buffer;
  readonly codes: readonly string[];
}

/** Enables two-factor authentication for a signed-in user. */
export async function switchOn(browser: Browser, password: string): Promise<Factor> {
  const page = (await browser.open(factorPage)).text;
  const key = keyIn(page);
  const answer = await browser.fill(factorPage, factorPage, { offer: offerIn(page), code: appCode(key), password });
  assert.equal(answer.status, 200, answer.text);
  return { key, codes: codesIn(answer) };
}

/** Pretends that the last code was used long ago, so that tests need not wait for the next one. */
export async function longAgo(server: TestServer, userId: number): Promise<void> {
  await server.db.write((trx) =>
    trx.updateTable('second_factors').set({ last_step: 0 }).where('user_id', '=', userId).execute(),
  );
}
