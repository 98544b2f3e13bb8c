import Type, { type Static } from 'typebox';
import { jsonShape } from '../../platform/json-shape.ts';

/** Something that a linter has found. */
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
const longest = 1_000;

/** Where an issue begins, which reports tell in one of three ways. */
function lineOf({ lines, positions }: Static<typeof Issue>['location']): number {
  const begin = lines?.begin ?? positions?.begin ?? 1;
  return Math.trunc(typeof begin === 'number' ? begin : begin.line);
}

/** Reads a report of code quality: a list of issues. What is none of them is left out. */
export function problemsIn(report: unknown): Problem[] {
  if (!Array.isArray(report)) throw new Error('the report is no list');
  return report
    .filter((one) => issue.fits(one))
    .map(({ location, description, severity = '', check_name, fingerprint }) => ({
      path: location.path.slice(0, longest).replace(/^(?:\.\/)+/, ''),
      line: lineOf(location),
      severity: severities.has(severity) ? severity : 'unknown',
      description: description.slice(0, longest),
      check_name: check_name?.slice(0, longest) ?? null,
      fingerprint: fingerprint?.slice(0, longest) ?? null,
    }));
}
