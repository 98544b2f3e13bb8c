import assert from 'node:assert/strict';
import { GitbeakerRequestError } from '@gitbeaker/rest';

/** The status of an answer that gitbeaker must throw for, and what it makes of the body. */
export async function refusal(call: Promise<unknown>): Promise<[number, string]> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof GitbeakerRequestError, String(error));
    assert.ok(error.cause);
    return [error.cause.response.status, error.cause.description];
  }
  return assert.fail('the call was not refused');
}
