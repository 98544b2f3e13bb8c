import assert from 'node:assert/strict';
import { GitbeakerRequestError } from '@gitbeaker/rest';

/** Returns the status and message of a call that gitbeaker must reject. */
export async function refusal(call: Promise<unknown>): Promise<[number, string]> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof GitbeakerRequestError, String(error));
    assert.ok(error.cause);
    return [error.cause.response.status, error.cause.description];
  }
  return assert.fail('the call was not rejected');
}
