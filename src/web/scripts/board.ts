// Cards of a board are dragged from column to column. Each has a form as well, for those who do not.

let dragged: HTMLElement | undefined;

const within = (target: EventTarget | null, selector: string) =>
  target instanceof Element ? target.closest<HTMLElement>(selector) : null;

/** The column below the pointer, if it is another one than that of the card. */
function columnFor({ target }: Event): HTMLElement | null {
  const column = within(target, '.board > section');
  return dragged && column !== dragged.closest('section') ? column : null;
}

function mark(column: HTMLElement | null): void {
  for (const each of document.querySelectorAll('.board > section')) each.classList.toggle('over', each === column);
}

document.addEventListener('turbo:load', () => {
  for (const form of document.querySelectorAll('.board form[action$="/move"]'))
    form.closest('li')?.setAttribute('draggable', 'true');
});

document.addEventListener('dragstart', (event) => {
  dragged = within(event.target, '.board li[draggable]') ?? undefined;
  if (dragged && event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
});

document.addEventListener('dragover', (event) => {
  const column = columnFor(event);
  mark(column);
  if (column) event.preventDefault();
});

document.addEventListener('drop', (event) => {
  const column = columnFor(event);
  const form = dragged?.querySelector<HTMLFormElement>('form[action$="/move"]');
  const choice = form?.querySelector('select');
  if (!dragged || !form || !choice || !column?.dataset.column) return;
  event.preventDefault();
  choice.value = column.dataset.column;
  dragged.classList.add('moving');
  form.requestSubmit();
});

document.addEventListener('dragend', () => {
  dragged = undefined;
  mark(null);
});
