"""`python -m pointsman.cli`: the console command, also where its script is not on the path."""

from pointsman.cli import main

main()
