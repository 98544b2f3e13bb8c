import type { Entry } from '../entry.ts';
import type { PlannedJob } from '../plan.ts';

export function readIdTokens(tokens: Entry | null): PlannedJob['idTokens'] {
  if (tokens === null) return {};
  return Object.fromEntries(
    tokens.keys().map((name) => {
      const token = tokens.entry(name);
      token?.allow(['aud']);
      token?.require('aud');
      return [name, { aud: token?.stringOrStrings('aud') ?? [] }];
    }),
  );
}
