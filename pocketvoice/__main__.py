"""`python -m pocketvoice`: freeze support first (a frozen build starts its workers through here), then the command line."""

import multiprocessing

if __name__ == "__main__":
    multiprocessing.freeze_support()
    from pocketvoice.cli import main

    raise SystemExit(main())
