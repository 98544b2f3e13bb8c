// Of a frame that only adds to what stands in it, that stays where the server has not answered with more.
document.addEventListener('turbo:frame-missing', (event) => {
  if (event.target instanceof Element && event.target.hasAttribute('data-keep')) event.preventDefault();
});
