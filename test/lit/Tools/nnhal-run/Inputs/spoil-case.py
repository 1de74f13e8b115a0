"""Reads test cases from standard input and writes them with another expectation
of the first element of the first output of one of them.

usage: spoil-case.py NAME
"""

import json
import sys

cases = json.load(sys.stdin)
for case in cases["cases"]:
    if case["name"] == sys.argv[1]:
        case["examples"][0]["outputs"][0]["value"][0] += 9
json.dump(cases, sys.stdout)
