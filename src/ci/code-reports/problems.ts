import Type, { type Static } from 'typebox';
import { jsonShape } from '../../platform/json-shape.ts';

/** A code quality violation. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly severity: string;
  readonly description: string;
  readonly check_name: string | null;
  readonly fingerprint: string | null;
}

const line = Type.Number({ minimum: 1 });
const Issue = Type.Object({
  description: Type.String(),
  severity: Type.Optional(Type.String()),
  check_name: Type.Optional(Type.String()),
  fingerprint: Type.Optional(Type.String()),
  location: Type.Object({
    path: Type.String(),
    lines: Type.Optional(Type.Object({ begin: Type.Union([line, Type.Object({ line })]) })),
    positions: Type.Optional(Type.Object({ begin: Type.Object({ line }) })),
  }),
});
const issue = jsonShape(Issue);

const severities: ReadonlySet<string> = new Set(['info', 'minor', 'major', 'critical', 'blocker']);
const maxLength = 1_000;

/** First line of an issue; reports state it in one of three formats. */
function lineOf({ lines, positions }: Static<typeof Issue>['location']): number {
  const begin = lines?.begin ?? positions?.begin ?? 1;
  return Math.trunc(typeof begin === 'number' ? begin : begin.line);
}

/** Parses a code quality report, which is a list of issues. Malformed issues are skipped. */
export function problemsIn(report: unknown): Problem[] {
  if (!Array.isArray(report)) throw new Error('the report is not a list');
  return report
    .filter((entry) => issue.fits(entry))
    .map(({ location, description, severity = '', check_name, fingerprint }) => ({
      path: location.path.slice(0, maxLength).replace(/^(?:\.\/)+/, ''),
      line: lineOf(location),
      severity: severities.has(severity) ? severity : 'unknown',
      description: description.slice(0, maxLength),
      check_name: check_name?.slice(0, maxLength) ?? null,
      fingerprint: fingerprint?.slice(0, maxLength) ?? null,
    }));
}
