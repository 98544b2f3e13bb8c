// Its bar would bring a style of its own, which the content policy forbids: the top of the page shows that it loads.
Turbo.config.drive.progressBarDelay = 2 ** 30;
