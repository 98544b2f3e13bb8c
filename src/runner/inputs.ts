import { asText, ExpressionError, evaluate, type Operand } from './expression.ts';
import type { JobPayload } from './protocol.ts';

/** A job with its inputs inserted wherever they may be used. Throws an `ExpressionError` when that is impossible. */
export function withInputs(job: JobPayload): JobPayload {
  const inputs = job.inputs ?? [];
  if (inputs.length === 0) return job;
  const values = Object.fromEntries(inputs.map(({ key, value }) => [key, value.content]));
  const names = { job: { inputs: values } };
  const parts = places.map((place) => [place, insert(job[place], names)]);
  return { ...job, ...(Object.fromEntries(parts) as Pick<JobPayload, (typeof places)[number]>) };
}

/** What inputs may be used in. */
const places = ['steps', 'image', 'services', 'artifacts', 'cache'] as const;

type Names = Readonly<Record<string, Operand>>;

function insert(part: unknown, names: Names): unknown {
  if (typeof part === 'string') return insertText(part, names);
  if (Array.isArray(part)) return part.map((one) => insert(one, names));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, insert(value, names)]));
}

/** Replaces `${{ … }}`; a backslash before it prevents that. An end marker within quotes belongs to the text. */
function insertText(text: string, names: Names): string {
  return text.replace(
    /(\\)?\$\{\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"'}]|\}(?!\}))*)\}\}/gs,
    (whole, escaped: string | undefined, expression: string) => {
      if (escaped !== undefined) return whole.slice(1);
      try {
        return asText(evaluate(expression, names));
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        throw new ExpressionError(`$\{{${expression}}}: ${error.message}`);
      }
    },
  );
}
