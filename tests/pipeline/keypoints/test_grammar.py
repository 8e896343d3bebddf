"""Which words stand alone as a clause."""

import pytest

from pipeline.keypoints.grammar import parser, whole_clause


def stands_alone(text):
    return whole_clause(parser()(f"{text}.")) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Gambling is highly addictive",
        "The legal market will intensify the black market",
        "People are encouraged to censor themselves when they use their own name",
        "There are better ways to spend money",
        "You can never regulate gambling between friends",
        "Gambling is a habit that hurts the people who have it",
        "The law loses its force when nobody obeys it",
        "The evidence shows that when casinos open, families lose their savings",
        "A free day gives families time to care for each other",
        "Not only casinos but bars take money from poor people",
        "Without tickets, buses run faster",
        "What keeps people off the bus is poor service, not the price",
        "There's no evidence that casinos create jobs",
        "Casinos aren't just bars but also places for tourists",
        "Casinos take money from other places",
        "The danger of casinos is that poor people lose their money",
        "Casinos take the money people need at home",
        "If we want clean air, free public transport is the quickest way to get it",
        "A lesson that is broken every five minutes is not a lesson",
    ],
)
def test_a_clause_with_subject_and_verb_stands_alone(text):
    assert stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Makes everything worse",
        "Lots of different ways of acting",
        "They take money from people",
        "This is a big problem",
        "If gambling is a problem",
        "People who gamble on the internet",
        "The government can do to regulate gambling",
        "My opponent has no evidence",
        "The odds are against him",
        "Gambling was a problem",
        "Is gambling a problem",
        "The government has a duty to",
        "We think gambling is harmful",
        "Energy is cheap solar panels are cheap",
        "There's an additional layer of harm",
        "There are real threats",
        "There is no doubt that when the government collects data",
        "Governments should only intervene to require something",
        "The players are showing skill in a way",
        "Covenant marriage is a legal category of marriage",
        "The routines that they perform are still sexualized",
        "There's a social stigma associated with it that reduces the amount of marriages",
        "Harm onto the animal, should be considered especially cruel",
        "The city predominantly but other places for casinos has grown",
        "A free day gives families time to care for each other and it shares",
        "Mr. Murray argues that too many people are going to college",
        "The sport is unique in that the actions",
        "The organic movement should receive",
        "The state should do something for poor families",
        "The tax sets out to do, raising money for schools",
        "Casinos are not only bars",
        "Casinos aren't just places for tourists",
        "The tax is unfair in the other direction",
        "The sad reality is that there is no limit",
        "Introducing a public scheme like the neighbours has ultimately",
        "The law requires that the of people with debts are counted",
        "Millions of whom live in small towns",
        "The casino is a pleasant place it's a system of lights",
        "Legalizing gambling hopes that it helps to protect gamblers",
        "NATO promotes cooperation and ultimately",
        "Polls show that most voters agree that casinos are bad",
        "Most people think that casinos are bad for the city",
    ],
)
def test_what_lacks_a_part_or_points_elsewhere_does_not(text):
    assert not stands_alone(text)
