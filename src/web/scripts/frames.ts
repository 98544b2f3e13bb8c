// Keep the content of a frame that only loads additions, if the response has none.
document.addEventListener('turbo:frame-missing', (event) => {
  if (event.target instanceof Element && event.target.hasAttribute('data-keep')) event.preventDefault();
});
