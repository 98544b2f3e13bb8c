const number = String.raw`\s*\d{1,3}(?:\.\d+)?`;
const part = `${number}%?\\s*`;
const functions = ['rgb', 'hsl'].map(
  (name) => `${name}\\((?:${part},){2}${part}\\)|${name}a\\((?:${part},){3}\\s*[\\d.]{1,6}%?\\s*\\)`,
);
const hex = '#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})';
const whole = new RegExp(`^(?:${[hex, ...functions].join('|')})$`, 'i');

/** Whether code is a CSS color: `#f00`, `rgb(1, 2, 3)`, `hsla(120, 50%, 50%, 0.3)`. */
export const isColor = (text: string): boolean => text.length <= 60 && whole.test(text);
