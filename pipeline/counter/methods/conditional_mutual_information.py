"""c-MI: mutual information of which terms two speeches have, conditioned on the other candidates' terms."""

from functools import partial

from pipeline.counter.method import CounterMethod
from pipeline.counter.methods.mutual_information import mutual_information

METHOD = CounterMethod(
    "c-MI",
    "terms both use and others do not",
    sees="candidates",
    place=120,
    weight=1.0,
    assigned=True,
    build=lambda given: partial(mutual_information, given.vocabularies.content_words, conditional=True),
)
