import type { MarkdownIt, Token } from 'markdown-it';

const size = /(width|height)="?(\d{1,5}(?:px|%)?)"?/g;
const sizes = /^\{\s*(?:(?:width|height)="?\d{1,5}(?:px|%)?"?\s*){1,2}\}/;

/** Moves the size written after an image from the text to the image. */
function takeSizes(children: readonly Token[]): void {
  for (const [at, image] of children.entries()) {
    const after = children[at + 1];
    const [written] = (image.type === 'image' && after?.type === 'text' && sizes.exec(after.content)) || [];
    if (written === undefined || after === undefined) continue;
    for (const [, name = '', value = ''] of written.matchAll(size)) image.attrSet(name, value);
    after.content = after.content.slice(written.length);
  }
}

/** Image sizes: `![a](b.png){width=100 height=50%}`. */
export function imageSizeRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('image_sizes', (state) => {
    for (const token of state.tokens) if (token.type === 'inline' && token.children) takeSizes(token.children);
  });
}
