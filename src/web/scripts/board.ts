// Drag and drop of board cards. Each card also has a form.

let dragged: HTMLElement | undefined;

const within = (target: EventTarget | null, selector: string) =>
  target instanceof Element ? target.closest<HTMLElement>(selector) : null;

const cardsIn = (column: HTMLElement) =>
  [...column.querySelectorAll<HTMLElement>('.list > li')].filter((card) => card !== dragged);

/** The drop position: the column, and the card below the pointer. */
interface Target {
  readonly column: HTMLElement;
  readonly next: HTMLElement | undefined;
}

function targetFor({ target, clientY }: DragEvent): Target | undefined {
  const column = within(target, '.board > section');
  if (!dragged || !column) return undefined;
  if (!column.closest('[data-ordered]'))
    return column === dragged.closest('section') ? undefined : { column, next: undefined };
  const next = cardsIn(column).find((card) => {
    const { top, height } = card.getBoundingClientRect();
    return clientY < top + height / 2;
  });
  return { column, next };
}

function mark(target: Target | undefined): void {
  for (const each of document.querySelectorAll('.board > section'))
    each.classList.toggle('over', each === target?.column);
  for (const each of document.querySelectorAll('.board .list > li'))
    each.classList.toggle('next', each === target?.next);
}

/**
 * Returns the neighbours at the drop position among cards of the same project, since the API orders items per project.
 */
function neighbours({ column, next }: Target): { before: string; after: string } {
  const cards = cardsIn(column);
  const at = next ? cards.indexOf(next) : cards.length;
  const isBeside = (card: HTMLElement) => card.dataset.place === dragged?.dataset.place;
  const numberOf = (card: HTMLElement | undefined) => card?.id.replace('card_', '') ?? '';
  return {
    before: numberOf(cards.slice(0, at).findLast(isBeside)),
    after: numberOf(cards.slice(at).find(isBeside)),
  };
}

document.addEventListener('turbo:load', () => {
  for (const form of document.querySelectorAll('.board form[data-move]'))
    form.closest('li')?.setAttribute('draggable', 'true');
});

document.addEventListener('dragstart', (event) => {
  dragged = within(event.target, '.board li[draggable]') ?? undefined;
  if (dragged && event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
});

document.addEventListener('dragover', (event) => {
  const target = targetFor(event);
  mark(target);
  if (target) event.preventDefault();
});

document.addEventListener('drop', (event) => {
  const target = targetFor(event);
  const form = dragged?.querySelector<HTMLFormElement>('form[data-move]');
  const choice = form?.querySelector('select');
  const key = target?.column.dataset.column;
  if (!dragged || !form || !choice || !target || key === undefined) return;
  event.preventDefault();
  // The form does not offer the card's own column.
  if (![...choice.options].some(({ value }) => value === key)) choice.add(new Option(key, key));
  choice.value = key;
  if (target.column.closest('[data-ordered]')) {
    for (const [name, value] of Object.entries(neighbours(target))) {
      const field = form.querySelector<HTMLInputElement>(`input[name="${name}"]`);
      if (field) field.value = value;
    }
  }
  dragged.classList.add('moving');
  form.requestSubmit();
});

document.addEventListener('dragend', () => {
  dragged = undefined;
  mark(undefined);
});
