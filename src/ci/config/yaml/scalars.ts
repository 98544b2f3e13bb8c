import { Decimal, type Scalar } from './values.ts';

/**
 * Parses plain scalars like Ruby's YAML parser, which is YAML 1.1 with deviations: `on` is a boolean but `y` is not,
 * `0644` is octal, `1_000` and `1,000` are thousands. Configuration files are written for that parser.
 */
export function plainScalar(text: string): Scalar {
  if (text === '' || text === '~' || /^null$/i.test(text)) return null;
  if (/^(yes|true|on)$/i.test(text)) return true;
  if (/^(no|false|off)$/i.test(text)) return false;
  if (!/^[-+.0-9]/.test(text)) return text;
  return integer(text) ?? sexagesimal(text) ?? float(text) ?? text;
}

function integer(text: string): Scalar | undefined {
  const match = /^([-+]?)(0b[01_,]+|0x[0-9a-fA-F_,]+|0[0-7_,]+|0|[1-9](?:[0-9]|[,_][0-9])*)$/.exec(text);
  if (match === null) return undefined;
  const digits = (match[2] as string).replace(/[_,]/g, '');
  const octal = /^0[0-7]+$/.test(digits);
  const size = BigInt(octal ? `0o${digits.slice(1)}` : digits);
  return exact(match[1] === '-' ? -size : size);
}

/** Base 60: `22:22` is 1342. This affects unquoted port mappings. */
function sexagesimal(text: string): Scalar | undefined {
  if (!/^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}$/.test(text)) return undefined;
  const negative = text.startsWith('-');
  const parts = text.replace(/^[-+]/, '').replaceAll('_', '').split(':');
  const total = parts.reduce((sum, part) => sum * 60n + BigInt(part), 0n);
  return exact(negative ? -total : total);
}

function float(text: string): Scalar | undefined {
  if (!/^[-+]?(?:\d[\d_,]*)?(?:\.\d[\d_]*|\d\.)(?:e[-+]?\d+)?$|^[-+]?\d+(?:e[-+]?\d+)$/i.test(text)) return undefined;
  const value = Number(text.replace(/[_,]/g, ''));
  if (!Number.isFinite(value)) return undefined;
  return new Decimal(rubyFloat(value));
}

function exact(value: bigint): Scalar {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : new Decimal(value.toString());
}

/** Formats a float like Ruby: at least one digit after the point, and exponents from 1e16 and below 1e-4. */
function rubyFloat(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [digits, exponent] = value.toExponential().split('e') as [string, string];
    const mantissa = digits.includes('.') ? digits : `${digits}.0`;
    const power = Number(exponent);
    return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : `${text}.0`;
}
