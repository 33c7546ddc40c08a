from .parsing import Token as Token
from .parsing import Tree as Tree
from .parsing import UnexpectedCharacters as UnexpectedCharacters
from .parsing import UnexpectedToken as UnexpectedToken
from .parsing import parser as parser
from .softmax.passes import softmax_proof as softmax_proof

__all__: list[str]
